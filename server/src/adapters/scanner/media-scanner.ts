// Who looks for malware: always the built-in check, and ClamAV where it is named.
import type { MediaScanner } from '../../modules/media/index.ts';
import { builtInScanner } from './built-in.ts';
import { clamdScanner } from './clamd.ts';

export function createMediaScanner({ clamdUrl }: { clamdUrl: string | null }): MediaScanner {
  const scanners = [builtInScanner, ...(clamdUrl === null ? [] : [clamdScanner(clamdUrl)])];
  return {
    name: scanners.map(({ name }) => name).join('+'),
    async scan(open) {
      for (const scanner of scanners) {
        const verdict = await scanner.scan(open);
        if (!verdict.clean) return verdict;
      }
      return { clean: true };
    },
    async check() {
      for (const scanner of scanners) await scanner.check();
    },
  };
}
