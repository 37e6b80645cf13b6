// The little that tests use of two libraries which bring no types.
declare module 'mailparser' {
  export type ParsedMail = {
    headerLines: { key: string; line: string }[];
    subject?: string;
    text?: string;
    /** False for a mail without HTML. */
    html: string | false;
    messageId?: string;
    from?: { text: string };
    to?: { text: string };
    attachments: unknown[];
  };
  export function simpleParser(
    source: Buffer | string,
    options?: { skipHtmlToText?: boolean },
  ): Promise<ParsedMail>;
}

declare module 'mailauth/lib/dkim/verify.js' {
  type Signature = {
    signingDomain: string;
    selector: string;
    status: { result: string };
    signingHeaders: { keys: string };
  };
  export function dkimVerify(
    mail: Buffer,
    options: { resolver(name: string, type: string): Promise<string[][]> },
  ): Promise<{ results: Signature[] }>;
}
