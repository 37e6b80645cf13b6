import { api, findSession, signIn, useSession } from './api.js';
import { awaitProof, createPasskey } from './proofs.js';

const $ = (id) => document.getElementById(id);
const show = (...ids) => {
  for (const id of ['sign-in', 'second-step', 'invitation', 'password-reset', 'account']) {
    $(id).hidden = !ids.includes(id);
  }
};

function say(text) {
  $('notice').textContent = text;
  $('notice').hidden = text === '';
}
const complain = (error) => say(error.message);

/** Runs what a button or form asks for, and says what went wrong. */
function on(id, event, work) {
  $(id).addEventListener(event, async (happening) => {
    happening.preventDefault();
    say('');
    try {
      await work(event === 'submit' ? Object.fromEntries(new FormData(happening.target)) : undefined);
      if (event === 'submit') happening.target.reset();
    } catch (error) {
      complain(error);
    }
  });
}

const here = () => `/accounts/${$('accounts').value}`;

// ---- signing in and out

async function enter(session) {
  useSession(session);
  const { user, accounts } = await api('GET', '/me');
  $('who').textContent = user.email;
  $('environment').textContent = session.environment;
  $('accounts').replaceChildren(
    ...accounts.map(({ accountSid, accountName }) => new Option(accountName, accountSid)),
  );
  show('account');
  if (accounts.length === 0) return say('You have no role on any account yet: ask whoever invited you.');
  await listFactors();
}

on('sign-in', 'submit', async (credentials) => {
  const first = await signIn(credentials);
  if (first.status === 'signed_in') return enter(first.session);
  show('second-step');
  const { signInToken, webauthn } = first;
  const judge = (proof) => api('POST', '/auth/sign-in/second-factor', { signInToken, ...proof });
  const { session } = await awaitProof($('sign-in-proof'), webauthn, judge, complain);
  say('');
  await enter(session);
});

on('forgot', 'click', async () => {
  const email = $('sign-in').elements.email;
  if (!email.reportValidity()) return;
  await api('POST', '/auth/password/forgot', { email: email.value });
  say('If somebody signs in with this address, a mail is on its way to it.');
});

on('sign-out', 'click', async () => {
  await api('POST', '/auth/sign-out');
  useSession(null);
  location.assign('/account');
});

// ---- the second factor, where an act asks for it

/** Tries the act; when it asks for a second factor, gets a token for exactly that action and tries again. */
async function steppedUp(act) {
  try {
    return await act('');
  } catch (error) {
    const asked = error.details?.find(({ path }) => path === 'stepUpAction');
    if (!asked) throw error;
    return act(await stepUp(asked.issue));
  }
}

async function stepUp(action) {
  const { publicKey } = await api('POST', `${here()}/identity/mfa/verification-options`, { action });
  const judge = (proof) => api('POST', `${here()}/identity/step-up`, { action, ...proof });
  const canceled = new Promise((_resolve, reject) => {
    $('step-up').onclose = () => reject(new Error('Nothing was done.'));
  });
  $('step-up').showModal();
  const { stepUpToken } = await Promise.race([
    awaitProof($('step-up-proof'), publicKey, judge, complain),
    canceled,
  ]);
  $('step-up').onclose = null;
  $('step-up').close();
  say('');
  return stepUpToken;
}

on('cancel', 'click', () => $('step-up').close());

// ---- factors

async function listFactors() {
  const { data } = await api('GET', `${here()}/identity/mfa/credentials?limit=100`);
  $('factors').replaceChildren(...data.map(factorLine));
}

function factorLine({ id, method, displayName, usable }) {
  const line = document.createElement('li');
  const name = document.createElement('span');
  const kind = method === 'WEBAUTHN' ? 'passkey' : 'authenticator app';
  name.textContent = `${displayName ?? kind} (${kind}${usable ? '' : ', turned off'})`;
  const remove = document.createElement('button');
  remove.type = 'button';
  remove.textContent = 'Remove';
  remove.onclick = () =>
    steppedUp((stepUpToken) => api('DELETE', `${here()}/identity/mfa/credentials/${id}`, { stepUpToken }))
      .then(listFactors)
      .catch(complain);
  line.append(name, remove);
  return line;
}

/** Adding beside a factor asks to prove one first; the proof is remembered by the session, so no token is sent. */
const begin = (method, providerKey, displayName) =>
  steppedUp(() => api('POST', `${here()}/identity/mfa/enrollments`, { method, providerKey, displayName }));

async function complete({ id, ceremonyRef }, response) {
  const path = `${here()}/identity/mfa/enrollments/${id}/complete`;
  const { recoveryCodes } = await api('POST', path, { ceremonyRef, response });
  if (recoveryCodes) showCodes(recoveryCodes);
  await listFactors();
}

function showCodes(codes) {
  const lines = codes.map((code) => {
    const line = document.createElement('li');
    line.append(document.createElement('code'));
    line.firstChild.textContent = code;
    return line;
  });
  $('codes').replaceChildren(...lines);
  $('recovery').hidden = false;
}

on('add-passkey', 'submit', async ({ displayName }) => {
  const enrollment = await begin('WEBAUTHN', 'passkey', displayName);
  await complete(enrollment, await createPasskey(enrollment.publicKey));
});

let waiting = null;
on('add-app', 'submit', async ({ displayName }) => {
  waiting = await begin('TOTP', 'totp', displayName);
  $('app-secret').textContent = waiting.totp.secret;
  $('app-uri').href = waiting.totp.uri;
  $('prove-app').hidden = false;
});
on('prove-app', 'submit', async ({ code }) => {
  await complete(waiting, code);
  $('prove-app').hidden = true;
});

on('rotate', 'click', async () => {
  const path = `${here()}/identity/mfa/recovery-codes/rotate`;
  const { codes } = await steppedUp((stepUpToken) => api('POST', path, { stepUpToken }));
  showCodes(codes);
});

// ---- keys

on('new-key', 'submit', async ({ name, scopes }) => {
  const key = { name, scopes: scopes.trim().split(/\s+/) };
  const made = await steppedUp((stepUpToken) => api('POST', `${here()}/api-keys`, { ...key, stepUpToken }));
  $('key-text').textContent = made.key;
  $('key').hidden = false;
});

// ---- what mails lead to

/** The token of a mailed link; it leaves the address bar, and with it the history, at once. */
function takeToken() {
  const token = new URLSearchParams(location.hash.slice(1)).get('token');
  history.replaceState(null, '', location.pathname);
  return token;
}

function fromMail(id, path, done) {
  const token = takeToken();
  show(id);
  on(id, 'submit', async (given) => {
    await api('POST', path, { token, ...given });
    show('sign-in');
    say(done);
  });
}

$('accounts').addEventListener('change', () => listFactors().catch(complain));

if (location.pathname === '/invitation') {
  fromMail('invitation', '/auth/invitations/accept', 'Welcome. You can sign in now.');
} else if (location.pathname === '/password-reset') {
  fromMail('password-reset', '/auth/password/reset', 'The password is set. You can sign in with it now.');
} else {
  await findSession().then(enter, () => show('sign-in'));
}
