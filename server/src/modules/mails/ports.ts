// What sending mail needs of the outside world.

export type Mail = {
  to: { name: string; address: string };
  subject: string;
  text: string;
  html: string;
};

/** Sends one mail, or throws: the job that asked tries again. */
export type Mailer = { send(mail: Mail): Promise<void>; close(): Promise<void> };

declare module '../../platform/ports.ts' {
  interface Ports {
    mailer: Mailer;
  }
}
