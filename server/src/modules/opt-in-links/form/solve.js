// Does the work a form asks for before it is taken again, and puts the outcome into the form. Until it runs the page says what
// else helps.
const form = document.querySelector('form[data-challenge]');
const field = form.elements.solution;
const status = document.querySelector('#solving');

const bytesOf = (hex) => Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
const hexOf = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

async function solve({ algorithm, nonce, salt, cost, keyLength, keyPrefix }) {
  const chance = bytesOf(nonce);
  const password = new Uint8Array([...chance, 0, 0, 0, 0]);
  const counting = new DataView(password.buffer);
  const wanted = bytesOf(keyPrefix);
  const derivation = {
    name: 'PBKDF2',
    hash: algorithm.slice('PBKDF2/'.length),
    salt: bytesOf(salt),
    iterations: cost,
  };
  for (let counter = 0; ; counter += 1) {
    counting.setUint32(chance.length, counter);
    const key = await crypto.subtle.importKey('raw', password, 'PBKDF2', false, ['deriveBits']);
    const derived = new Uint8Array(await crypto.subtle.deriveBits(derivation, key, keyLength * 8));
    if (wanted.every((byte, i) => derived[i] === byte)) return { counter, derivedKey: hexOf(derived) };
  }
}

async function prepare() {
  const { parameters, signature } = JSON.parse(form.dataset.challenge);
  status.textContent = form.dataset.solving;
  const solution = await solve(parameters);
  field.value = btoa(JSON.stringify({ challenge: { parameters, signature }, solution }));
  status.textContent = form.dataset.solved;
}

const prepared = prepare();
form.addEventListener('submit', (event) => {
  if (field.value !== '') return;
  // Whoever was faster than the calculation need not press the button twice.
  event.preventDefault();
  prepared.then(() => form.requestSubmit());
});
