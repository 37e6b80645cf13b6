// Bodies and queries as the payment service takes them: `a[b][c]=d`, lists as `a[]=x` or `a[0]=x`.
import { invalid } from './problems.ts';

export type Form = { [name: string]: Form | string };

const deepest = 8;

export function readForm(text: string): Form {
  const form = newForm();
  for (const [name, value] of new URLSearchParams(text)) put(form, partsOf(name), value, name);
  return form;
}

/** Without a prototype: any name is only a name. */
const newForm = (): Form => Object.create(null) as Form;

function partsOf(name: string): string[] {
  const match = /^([^[\]]+)((?:\[[^[\]]*\])*)$/.exec(name);
  if (!match) throw invalid(`Invalid request: the parameter ${name.slice(0, 100)} is malformed.`, name);
  const inner = [...match[2]!.matchAll(/\[([^[\]]*)\]/g)].map((part) => part[1]!);
  if (inner.length >= deepest) throw invalid('Invalid request: parameters are nested too deeply.', match[1]);
  return [match[1]!, ...inner];
}

function put(form: Form, [first, ...rest]: string[], value: string, name: string): void {
  const key = first === '' ? String(Object.keys(form).length) : first!;
  if (rest.length === 0) {
    form[key] = value;
    return;
  }
  const inner = form[key] ?? newForm();
  if (typeof inner === 'string') throw invalid(`Invalid object: ${name.slice(0, 100)}`, name);
  form[key] = inner;
  put(inner, rest, value, name);
}
