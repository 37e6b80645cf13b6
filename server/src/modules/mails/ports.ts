// What sending mail needs of the outside world.

export type Mail = {
  to: { name: string; address: string };
  subject: string;
  text: string;
  html: string;
  /** Names the mail: the same at every attempt, so that a repeat is known as one. Without it, each attempt has its own. */
  id?: string;
  /** For mail of a kind that the reader can turn off. */
  list?: {
    /** What mail programs sort such mail by, such as security.AC….notifications. */
    id: string;
    /** Turns the kind off by a bare POST (RFC 8058); opened, it only shows a page. */
    unsubscribeUrl: string;
  };
};

/** Thrown where the mail server says for good that it knows no such mailbox: trying again is no use. */
export class AddresseeRefused extends Error {}

/** Sends one mail, or throws: the job that asked tries again. */
export type Mailer = { send(mail: Mail): Promise<void>; close(): Promise<void> };

declare module '../../platform/ports.ts' {
  interface Ports {
    mailer: Mailer;
  }
}
