// Passkeys and codes: what the browser and the person prove themselves with.

export async function createPasskey(options) {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
  const credential = await navigator.credentials.create({ publicKey });
  return JSON.stringify(credential.toJSON());
}

async function usePasskey(options) {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
  const credential = await navigator.credentials.get({ publicKey });
  return JSON.stringify(credential.toJSON());
}

/** Waits for one proof: a passkey, where `options` ask for one, or a code. `judge` throws when it is not good. */
export function awaitProof(box, options, judge, complain) {
  const passkey = box.querySelector('.passkey');
  const form = box.querySelector('form');
  passkey.hidden = !options;
  form.reset();
  return new Promise((resolve) => {
    const settle = async (prove) => {
      try {
        resolve(await judge(await prove()));
      } catch (error) {
        complain(error);
      }
    };
    passkey.onclick = () =>
      settle(async () => ({
        method: 'WEBAUTHN',
        assertion: await usePasskey(options),
        challenge: options.challenge,
      }));
    form.onsubmit = (event) => {
      event.preventDefault();
      const { method, code } = Object.fromEntries(new FormData(form));
      settle(async () => ({ method, assertion: code }));
    };
  });
}
