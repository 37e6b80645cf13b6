// Names of files are shown to people and put into headers: no paths, nothing that cannot be seen.
import { invalid } from '../../../platform/errors/errors.ts';

// Control characters, and those that turn the direction of writing: "gpj.exe" can be made to look like "exe.jpg".
const invisible = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;
const maxLength = 255;

export function judgeFilename(filename: string, path: string): void {
  if (filename.trim() === '') throw invalid({ path, issue: 'must not be blank' });
  if (filename.length > maxLength) throw invalid({ path, issue: `must be at most ${maxLength} characters` });
  if (/[/\\]/.test(filename) || invisible.test(filename)) {
    throw invalid({ path, issue: 'must be a file name without folders and invisible characters' });
  }
}

/** The last part of a URL's path, where it looks like a name. */
export function filenameOf(url: string): string | null {
  const last = URL.parse(url)?.pathname.split('/').at(-1) ?? '';
  try {
    const name = decodeURIComponent(last);
    judgeFilename(name, 'url');
    return name;
  } catch {
    return null;
  }
}
