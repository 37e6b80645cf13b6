// A request as a command for a shell.
export type Request = {
  /** Under which a program asks for the same, once. */
  id: string;
  /** The address of the page that asked. */
  page: string;
  method: string;
  /** With its query. */
  path: string;
  /** JSON as it was sent, but for what proves who somebody is. */
  body: string | null;
  /** Null until it is answered, and where it never was. */
  status: number | null;
  /** As the service calls it; null until it is answered. */
  requestId: string | null;
};

/** For a shell, with a key in place of the session. */
export function asCurl({ id, method, path, body }: Request, origin: string): string {
  const isWrite = method !== 'GET';
  return [
    `curl -X ${method} ${quoted(`${origin}${path}`)}`,
    header('Authorization', 'Bearer $KEY'),
    ...(isWrite ? [header('Idempotency-Key', id)] : []),
    ...(body === null ? [] : [header('Content-Type', 'application/json'), `-d ${quoted(body)}`]),
  ].join(' \\\n  ');
}

const header = (name: string, value: string) => `-H "${name}: ${value}"`;

/** As one word of a shell, whatever stands in it. */
const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
