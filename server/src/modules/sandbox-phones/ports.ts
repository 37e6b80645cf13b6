// The phones of a sandbox's customers, as the simulated provider plays them.
import type { Connection } from '../provider/index.ts';

type PhonePlace = { baseUrl: string };
export type PhoneAnswer<T> = { ok: true; value: T } | { ok: false; retryable: boolean; reason: string };

export type PhoneButton = { id: string; kind: 'REPLY' | 'LINK' | 'CALL' | 'CODE' | 'OTHER'; title: string };
type PhoneCard = { header: string | null; body: string | null; buttons: PhoneButton[] };
export type PhoneMessage = PhoneCard & {
  id: string;
  phoneNumberId: string;
  writtenBy: 'CUSTOMER' | 'BUSINESS';
  /** What the business calls it: the SID of a message. */
  opaque: string | null;
  type: string;
  state: string | null;
  answers: string | null;
  atMs: number;
  footer: string | null;
  cards: PhoneCard[];
};

export type PhoneRow = { waId: string; name: string; lastMs: number; phoneNumberIds: string[] };
export type PhoneScreen = {
  waId: string;
  name: string | null;
  /** The numbers whose marketing messages they do not want. */
  stopped: string[];
  messages: PhoneMessage[];
};

/** `numbers` are ids of phone numbers: a phone is looked at only as far as it talks with them. */
export interface SandboxPhones {
  list(
    place: PhonePlace,
    wanted: { numbers: string[]; limit: number; after?: { lastMs: number; waId: string } },
  ): Promise<PhoneAnswer<PhoneRow[]>>;
  read(
    place: PhonePlace,
    wanted: { from: string; numbers: string[]; limit: number },
  ): Promise<PhoneAnswer<PhoneScreen>>;
  /** `id` names the message: writing it again writes nothing new. */
  write(
    connection: Connection,
    message: {
      from: string;
      to: string;
      id: string;
      type: string;
      text?: string;
      context?: { id: string };
    },
  ): Promise<PhoneAnswer<null>>;
  /** What is wrong with the press; null when it was done. */
  press(
    place: PhonePlace,
    press: { from: string; numbers: string[]; id: string; messageId: string; button: string },
  ): Promise<PhoneAnswer<'message' | 'button' | 'answer' | null>>;
  prefer(
    connection: Connection,
    preference: { from: string; to: string; value: 'stop' | 'resume' },
  ): Promise<PhoneAnswer<null>>;
}

declare module '../../platform/ports.ts' {
  interface Ports {
    sandboxPhones: SandboxPhones;
  }
}
