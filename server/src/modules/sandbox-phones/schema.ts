import { type Static, Type } from 'typebox';
import {
  accountPath,
  Closed,
  DateTime,
  NamedObject,
  Nullable,
  pageQuery,
  Sid,
  sample,
  Text,
  Word,
} from '../../platform/http/input/schema.ts';
import { sampleOwner, sampleSid, sampleTime } from '../../platform/samples.ts';

export const phonePath = Closed({
  ...accountPath,
  /** Of the customer, with its country code; any number has a phone. */
  phoneNumber: Type.String({ pattern: '^\\+?[1-9][0-9]{6,14}$' }),
});
export const PhonesQuery = Closed(pageQuery);
export const ScreenQuery = Closed({
  senderSid: Type.Optional(Sid('WA')),
  limit: pageQuery.limit,
});

const owner = { accountSid: Sid('AC'), livemode: Type.Boolean() };
const phone = {
  ...owner,
  phoneNumber: Type.String(),
  /** What they call themselves. */
  name: Nullable(Type.String()),
};

export const SandboxPhone = NamedObject('SandboxPhone', {
  object: Word('sandbox_phone'),
  ...phone,
  /** The senders it talked with. */
  senderSids: Type.Array(Sid('WA')),
  lastMessageAt: DateTime,
});
export type SandboxPhone = Static<typeof SandboxPhone>;

const Button = NamedObject('SandboxPhoneButton', {
  /** What a press names. */
  id: Type.String(),
  /** Only REPLY answers the message. */
  kind: Word('REPLY', 'LINK', 'CALL', 'CODE', 'OTHER'),
  title: Type.String(),
});
const card = {
  header: Nullable(Type.String()),
  body: Nullable(Type.String()),
  buttons: Type.Array(Button),
};

export const SandboxPhoneMessage = NamedObject('SandboxPhoneMessage', {
  /** The provider's id, `wamid.…`. */
  id: Type.String(),
  senderSid: Sid('WA'),
  /** The message as it is known here; null for what the customer wrote. */
  messageSid: Nullable(Sid('SM')),
  writtenBy: Word('CUSTOMER', 'BUSINESS'),
  /** As the provider calls it: text, image, template, … */
  type: Type.String(),
  /** How far what the business sent has come; a phone has it from DELIVERED on. */
  state: Nullable(Word('ACCEPTED', 'SENT', 'DELIVERED', 'READ', 'PLAYED', 'FAILED', 'DROPPED')),
  /** The id of the message it answers. */
  answers: Nullable(Type.String()),
  ...card,
  footer: Nullable(Type.String()),
  cards: Type.Array(NamedObject('SandboxPhoneCard', card)),
  at: DateTime,
});
export type SandboxPhoneMessage = Static<typeof SandboxPhoneMessage>;

export const SandboxPhoneScreen = NamedObject('SandboxPhoneScreen', {
  object: Word('sandbox_phone_screen'),
  ...phone,
  /** The senders whose marketing messages are not wanted. */
  marketingStoppedFor: Type.Array(Sid('WA')),
  /** The newest first. */
  messages: Type.Array(SandboxPhoneMessage),
});
export type SandboxPhoneScreen = Static<typeof SandboxPhoneScreen>;

/** Which kinds carry words: their text, or the caption. */
export const captioned = ['IMAGE', 'VIDEO', 'DOCUMENT'];

export const WriteOnPhone = NamedObject('WriteOnPhone', {
  senderSid: Sid('WA'),
  /** Files are small ones of the simulator. TEXT unless said otherwise. */
  type: Type.Optional(Word('TEXT', 'IMAGE', 'VIDEO', 'DOCUMENT', 'AUDIO', 'STICKER', 'LOCATION')),
  /** What they write; the caption of an image, video or document. */
  text: Type.Optional(Text(4_096, 1)),
  /** The id of the message they answer. */
  answers: Type.Optional(Text(256, 1)),
});
export type WriteOnPhone = Static<typeof WriteOnPhone>;

export const PressOnPhone = NamedObject('PressOnPhone', {
  messageId: Text(256, 1),
  /** The `id` of one of its buttons. */
  button: Text(16, 1),
});
export type PressOnPhone = Static<typeof PressOnPhone>;

export const PreferOnPhone = NamedObject('PreferOnPhone', {
  senderSid: Sid('WA'),
  marketing: Word('STOP', 'RESUME'),
});
export type PreferOnPhone = Static<typeof PreferOnPhone>;

const shared = { ...sampleOwner, livemode: false, phoneNumber: '+33612003400', name: 'Customer 3400' };
sample(SandboxPhone, {
  object: 'sandbox_phone',
  ...shared,
  senderSids: [sampleSid('WA')],
  lastMessageAt: sampleTime,
});
sample(SandboxPhoneScreen, {
  object: 'sandbox_phone_screen',
  ...shared,
  marketingStoppedFor: [],
  messages: [
    {
      id: 'wamid.HBgLMzM2MTIwMDM0MDA=',
      senderSid: sampleSid('WA'),
      messageSid: sampleSid('SM'),
      writtenBy: 'BUSINESS',
      type: 'template',
      state: 'READ',
      answers: null,
      header: null,
      body: 'Hello Ines, we expect you on 3 May at 09:00. Does that still suit you?',
      footer: null,
      buttons: [{ id: '0', kind: 'REPLY', title: 'Yes' }],
      cards: [],
      at: sampleTime,
    },
  ],
});
