// The little page on which people look after their own account: signing in, second factors, a key. It is fixed text and
// a few scripts of ours; everything else it does through the same API as everybody.
import { readFileSync } from 'node:fs';
import { type Page, pageHead } from '../../../platform/http/pages.ts';

const script = (name: string): Page => ({
  path: `/account/${name}`,
  script: readFileSync(new URL(name, import.meta.url), 'utf8'),
});

const style = `
:root { color-scheme: light dark; --line: #d9d9d2; --quiet: #5f6663; --accent: #0f766e; --bad: #a32020; }
@media (prefers-color-scheme: dark) {
  :root { --line: #333a38; --quiet: #9aa39f; --accent: #4fd1c1; --bad: #ff9c9c; }
}
body { max-width: 34rem; margin: 3rem auto; padding: 0 1rem; font: 1rem/1.5 system-ui, sans-serif; }
[hidden] { display: none; }
form, .box { display: grid; gap: 0.75rem; margin: 1rem 0; padding: 1rem; border: 1px solid var(--line); border-radius: 10px; }
label { display: grid; gap: 0.2rem; color: var(--quiet); font-size: 0.9rem; }
input, select, button { padding: 0.5rem 0.7rem; border: 1px solid var(--line); border-radius: 6px; font: inherit; }
button { border-color: var(--accent); color: var(--accent); background: none; cursor: pointer; justify-self: start; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
#notice { color: var(--bad); }
#factors li { display: flex; justify-content: space-between; gap: 1rem; align-items: center; padding: 0.3rem 0; }
#factors { padding: 0; list-style: none; }
code { overflow-wrap: anywhere; }
dialog { border: 1px solid var(--line); border-radius: 10px; }
`;

const environments = '<option value="sandbox">Sandbox</option><option value="live">Live</option>';

const proofs = (id: string) => `
<div id="${id}">
<button type="button" class="passkey" hidden>Use a passkey</button>
<form>
<label>Code <input name="code" autocomplete="one-time-code" required></label>
<label>From <select name="method"><option value="TOTP">Authenticator app</option>
<option value="RECOVERY_CODE">Recovery codes</option></select></label>
<button>Confirm</button>
</form>
</div>`;

const html = `<!doctype html>
<html lang="en">
<head>
${pageHead('Your Godwit account')}
<style>${style}</style>
<script type="module" src="/account/account.js"></script>
</head>
<body>
<h1>Your account</h1>
<noscript><p>This page needs JavaScript.</p></noscript>
<p id="notice" role="alert" hidden></p>
<form id="sign-in" hidden>
<label>E-mail <input name="email" type="email" autocomplete="username" required></label>
<label>Password <input name="password" type="password" autocomplete="current-password" required></label>
<label>Environment <select name="environment">${environments}</select></label>
<button>Sign in</button>
<button type="button" id="forgot">I forgot my password</button>
</form>
<section id="second-step" hidden><h2>Second step</h2>${proofs('sign-in-proof')}</section>
<form id="invitation" hidden>
<label>Your name <input name="displayName" autocomplete="name" maxlength="128" required></label>
<label>New password <input name="password" type="password" autocomplete="new-password" required></label>
<button>Accept the invitation</button>
</form>
<form id="password-reset" hidden>
<label>New password <input name="newPassword" type="password" autocomplete="new-password" required></label>
<button>Set the password</button>
</form>
<section id="account" hidden>
<p>Signed in as <strong id="who"></strong> (<span id="environment"></span>).
<button type="button" id="sign-out">Sign out</button></p>
<label>Account <select id="accounts"></select></label>
<h2>Second factors</h2>
<ul id="factors"></ul>
<form id="add-passkey">
<label>Name <input name="displayName" maxlength="128" value="Passkey"></label>
<button>Add a passkey</button>
</form>
<form id="add-app">
<label>Name <input name="displayName" maxlength="128" value="Authenticator app"></label>
<button>Add an authenticator app</button>
</form>
<form id="prove-app" hidden>
<p>Enter this secret in your app, or <a id="app-uri">open it there</a>: <code id="app-secret"></code></p>
<label>Code <input name="code" inputmode="numeric" autocomplete="one-time-code" required></label>
<button>Finish</button>
</form>
<button type="button" id="rotate">Make new recovery codes</button>
<div id="recovery" class="box" hidden>
<p>Recovery codes, shown this once. Keep them where you would find them without this device; each works once.</p>
<ol id="codes"></ol>
</div>
<h2>API keys</h2>
<form id="new-key">
<label>Name <input name="name" maxlength="128" required></label>
<label>Scopes, separated by spaces <input name="scopes" value="contacts:read" required></label>
<button>Create a key</button>
</form>
<p id="key" class="box" hidden>The key, shown this once: <code id="key-text"></code></p>
</section>
<dialog id="step-up" aria-label="Confirm that it is you">
<p>Confirm that it is you.</p>${proofs('step-up-proof')}
<button type="button" id="cancel">Cancel</button>
</dialog>
</body>
</html>
`;

export const accountPages: Page[] = [
  // Mails lead to the second and the third; what they carry stands behind the #, which no server sees.
  { path: '/account', html, style },
  { path: '/invitation', html, style },
  { path: '/password-reset', html, style },
  script('account.js'),
  script('api.js'),
  script('proofs.js'),
];
