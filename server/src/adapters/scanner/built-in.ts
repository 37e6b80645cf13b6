// Knows one signature, the test file every scanner must know, so that the way from a finding to a rejection can be tried
// on any installation. It is no substitute for a scanner.
import type { MediaScanner } from '../../modules/media/index.ts';

// In two parts, so that no scanner takes this file for the test file.
const eicar = Buffer.from(
  [String.raw`X5O!P%@AP[4\PZX54(P^)7CC)7}$`, 'EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*'].join(''),
);

export const builtInScanner: MediaScanner = {
  name: 'built-in',
  async scan(open) {
    let tail = Buffer.alloc(0);
    for await (const chunk of open()) {
      const seen = Buffer.concat([tail, chunk]);
      if (seen.includes(eicar)) return { clean: false, signature: 'EICAR-Test-File' };
      tail = seen.subarray(-eicar.length);
    }
    return { clean: true };
  },
  async check() {},
};
