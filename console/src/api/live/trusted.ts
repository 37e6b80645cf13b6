// The page's policy lets no address of a script be used that was not approved here: files of the console itself.
type Policy = { createScriptURL(url: string): unknown };
type Factory = { createPolicy(name: string, rules: { createScriptURL(url: string): string }): Policy };

const { trustedTypes } = globalThis as { trustedTypes?: Factory };

function ownFile(url: string): string {
  const { origin, pathname } = new URL(url, location.href);
  if (origin !== location.origin || !pathname.startsWith('/console/assets/'))
    throw new TypeError(`${url} is no file of the console`);
  return url;
}

const policy = trustedTypes?.createPolicy('godwit', { createScriptURL: ownFile });

/** Where a browser knows of no such policies, the address itself. */
export const trusted = (url: string): unknown => policy?.createScriptURL(url) ?? ownFile(url);
