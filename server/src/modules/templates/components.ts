// A template's components as the provider writes them, read with care: what is synchronised may hold anything, and a
// template we cannot read must still be listed.

export type WireButton = {
  type: string;
  text?: string;
  url?: string;
  phone_number?: string;
  example?: unknown;
  otp_type?: string;
  flow_id?: string;
};

export type WireComponent = {
  type: string;
  format?: string;
  text?: string;
  buttons?: WireButton[];
  example?: Record<string, unknown>;
  limited_time_offer?: { text?: string; has_expiration?: boolean };
  [other: string]: unknown;
};

export type ParameterFormat = 'POSITIONAL' | 'NAMED';

const variableForm = /\{\{\s*([^{}]*?)\s*\}\}/g;

/** The variables of a text, each once, in the order they first appear. */
export function variablesOf(text: string | undefined): readonly string[] {
  if (!text?.includes('{{')) return [];
  const last = lastRead.get(text);
  if (last) return last;
  const variables = [...new Set([...text.matchAll(variableForm)].map((match) => match[1]!))];
  if (lastRead.size >= mostRead) lastRead.clear();
  lastRead.set(text, variables);
  return variables;
}

// One template goes to thousands, and its text is read again for each of them.
const lastRead = new Map<string, readonly string[]>();
const mostRead = 100;

export const partOf = (components: readonly WireComponent[], type: string): WireComponent | undefined =>
  components.find((component) => component.type?.toUpperCase() === type);

export const buttonsOf = (components: readonly WireComponent[]): WireButton[] =>
  partOf(components, 'BUTTONS')?.buttons ?? [];

/** The headers that carry something other than text, and the parameter each takes. */
export const headerParameter: Record<string, string> = {
  IMAGE: 'image',
  VIDEO: 'video',
  DOCUMENT: 'document',
  LOCATION: 'location',
  PRODUCT: 'product',
};
