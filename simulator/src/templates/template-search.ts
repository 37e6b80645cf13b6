// Which templates a list shall show, and what a summary says of all of them.
import { GraphError } from '../errors.ts';
import { fromJson, type Wire } from '../http/shape.ts';
import type { Template } from '../world.ts';

const qualities = ['GREEN', 'YELLOW', 'RED', 'UNKNOWN'];

/** One word, several with commas between them, or a JSON list of them. */
function wordsIn(given: unknown, at: string): string[] {
  const text = String(given).trim();
  if (!text.startsWith('[')) return text.split(',').map((word) => word.trim());
  return fromJson(text, at).map(String);
}

const has = (text: string, part: unknown) => text.toLowerCase().includes(String(part).toLowerCase());

/** Everything a reader of the template sees. */
const contentOf = ({ components }: Template): string =>
  components
    .flatMap((one) => [one.text, ...(one.buttons ?? []).map((button: Wire) => button.text)])
    .filter((text) => typeof text === 'string')
    .join('\n');

export function templateFilter(fields: Wire): (template: Template) => boolean {
  const among = (name: string) => {
    if (fields[name] === undefined) return () => true;
    const wanted = wordsIn(fields[name], name).map((word) => word.toLowerCase());
    return (value: string) => wanted.includes(value.toLowerCase());
  };
  const stray = wordsIn(fields.quality_score ?? 'UNKNOWN', 'quality_score').find(
    (word) => !qualities.includes(word.toUpperCase()),
  );
  if (stray !== undefined)
    throw new GraphError(100, `quality_score must be some of ${qualities.join(', ')}.`);
  const [status, category, language] = [among('status'), among('category'), among('language')];
  const quality = among('quality_score');
  const { name, content, name_or_content: either } = fields;
  return (template) =>
    status(template.status) &&
    category(template.category) &&
    language(template.language) &&
    quality(template.quality) &&
    (name === undefined || template.name === String(name).toLowerCase()) &&
    (content === undefined || has(contentOf(template), content)) &&
    (either === undefined || has(template.name, either) || has(contentOf(template), either));
}

type Counted = { all: Template[]; found: Template[]; most: number };

/** The counts that `summary` names. */
export function summaryOf({ all, found, most }: Counted, names: unknown): Record<string, unknown> {
  const translations = new Map<string, number>();
  for (const { name } of all) translations.set(name, (translations.get(name) ?? 0) + 1);
  const facts: Record<string, unknown> = {
    total_count: found.length,
    message_template_count: all.length,
    message_template_limit: most,
    are_translations_complete: new Set(translations.values()).size <= 1,
  };
  const wanted = wordsIn(names, 'summary');
  const stray = wanted.find((name) => !Object.hasOwn(facts, name));
  if (stray !== undefined) throw new GraphError(100, `summary knows no "${stray.slice(0, 60)}".`);
  return Object.fromEntries(wanted.map((name) => [name, facts[name]]));
}
