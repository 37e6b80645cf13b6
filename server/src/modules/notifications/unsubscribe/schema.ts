import { type Static, Type } from 'typebox';
import { NamedObject, sample, Word } from '../../../platform/http/input/schema.ts';
import { category } from '../schema.ts';

export const Unsubscribe = NamedObject('NotificationUnsubscribe', {
  object: Word('notification_unsubscribe'),
  /** The kinds of mail the link turns off, and whether they are sent. */
  categories: Type.Array(NamedObject('UnsubscribeCategory', { category, email: Type.Boolean() })),
});
export type Unsubscribe = Static<typeof Unsubscribe>;

sample(Unsubscribe, {
  object: 'notification_unsubscribe',
  categories: [{ category: 'sender_health', email: false }],
});
