// A browser without a screen: follows redirects, keeps cookies by host, and tells where it came out.
import type { TestApp } from './app.ts';

export type Visit = { status: number; url: string; headers: Headers; text: string };

export function ssoBrowser(app: TestApp) {
  const jars = new Map<string, Map<string, string>>();
  const jarOf = (url: string) => {
    const { host } = new URL(url);
    const jar = jars.get(host) ?? new Map<string, string>();
    jars.set(host, jar);
    return jar;
  };

  async function request(url: string, init: RequestInit = {}): Promise<Visit> {
    const jar = jarOf(url);
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { ...(init.headers as Record<string, string>), ...(cookie && { cookie }) };
    const answer = await fetch(url, { ...init, headers, redirect: 'manual' });
    for (const line of answer.headers.getSetCookie()) {
      const [pair = ''] = line.split(';');
      const at = pair.indexOf('=');
      if (/max-age=0|expires=Thu, 01 Jan 1970/i.test(line)) jar.delete(pair.slice(0, at));
      else jar.set(pair.slice(0, at), pair.slice(at + 1));
    }
    return { status: answer.status, url, headers: answer.headers, text: await answer.text() };
  }

  /** Follows redirects until an answer is none, or leads to an address `stopAt` recognizes. */
  async function follow(url: string, stopAt: (url: string) => boolean = () => false): Promise<Visit> {
    let visit = await request(url);
    for (let hops = 0; hops < 20 && visit.status >= 300 && visit.status < 400; hops += 1) {
      const next = new URL(visit.headers.get('location')!, visit.url).href;
      if (stopAt(next)) return { ...visit, url: next };
      visit = await request(next);
    }
    return visit;
  }

  return {
    request,
    follow,
    start: (providerId: string, query = 'environment=sandbox&returnTo=/v1/auth/session') =>
      `${app.url}/v1/auth/sso/${providerId}/start?${query}`,
    cookies: (url = app.url) => jarOf(url),
    isSignedIn: () => jarOf(app.url).has('__Host-godwit-session-sandbox'),
  };
}

export type SsoBrowser = ReturnType<typeof ssoBrowser>;
