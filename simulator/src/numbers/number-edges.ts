// Blocking people, and reading back what became of a message.
import { GraphError } from '../errors.ts';
import type { Call } from '../http/http.ts';
import { pageOf } from '../http/listing.ts';
import type { Wire } from '../http/shape.ts';
import { type PhoneNumber, requireNumber } from '../world.ts';

const mostBlocked = 64_000;

function usersIn({ fields }: Call): string[] {
  if (fields.messaging_product !== 'whatsapp')
    throw new GraphError(100, 'The parameter messaging_product is required.');
  const users = fields.block_users;
  if (!Array.isArray(users) || users.length === 0)
    throw new GraphError(100, 'block_users must be a list of users.');
  return users.map((one: Wire) => String(one?.user_id ?? one?.user ?? ''));
}

const idOf = (user: string) => (/^[A-Z]{2}\./.test(user) ? user : user.replace(/\D/g, ''));
const isUser = (user: string) => /^[A-Z]{2}\.\w+/.test(user) || /^\+?[\d ()-]{7,20}$/.test(user);

type Change = (number: PhoneNumber, id: string) => void;

function eachUser(call: Call, edge: 'added_users' | 'removed_users', change: Change) {
  const { simulation, tenant, id } = call;
  const number = requireNumber(simulation.world, tenant, id);
  const users = usersIn(call);
  const good = users.filter(isUser);
  if (edge === 'added_users' && number.blocked.length + good.length > mostBlocked)
    throw new GraphError(139101, `The list holds ${mostBlocked} users.`);
  for (const user of good) change(number, idOf(user));
  simulation.world.changed();
  const failed = users.filter((user) => !isUser(user));
  const blockUsers = {
    [edge]: good.map((user) => ({ input: user, wa_id: idOf(user) })),
    ...(failed.length > 0 && {
      failed_users: failed.map((user) => ({
        input: user,
        errors: [{ message: 'Invalid user', code: 139103, error_data: { details: 'This is not a user.' } }],
      })),
    }),
  };
  if (failed.length > 0) throw new GraphError(139100, `These are not users: ${failed.join(', ')}`);
  return { messaging_product: 'whatsapp', block_users: blockUsers };
}

export const blockUsers = (call: Call) =>
  eachUser(call, 'added_users', (number, id) => {
    if (!number.blocked.includes(id)) number.blocked.push(id);
  });

export const unblockUsers = (call: Call) =>
  eachUser(call, 'removed_users', (number, id) => {
    number.blocked = number.blocked.filter((one) => one !== id);
  });

export function listBlocked({ simulation, tenant, id, request }: Call) {
  const number = requireNumber(simulation.world, tenant, id);
  const page = pageOf(
    request,
    number.blocked.map((user) => ({ id: user })),
  );
  return { ...page, data: page.data.map(({ id: user }) => ({ messaging_product: 'whatsapp', wa_id: user })) };
}

export function messageHistory({ simulation, tenant, id, fields, request }: Call) {
  const number = requireNumber(simulation.world, tenant, id);
  const found = fields.message_id === undefined ? undefined : simulation.records.find(fields.message_id);
  const messages = fields.message_id === undefined ? recentOf(simulation, number.id) : found ? [found] : [];
  const rows = messages
    .filter(({ phoneNumberId }) => phoneNumberId === number.id)
    .map((message) => ({
      id: String(message.sequence),
      message_id: message.id,
      events: {
        data: message.events.map(({ status, atMs, callback }) => ({
          delivery_status: status.toUpperCase(),
          timestamp: Math.floor(atMs / 1000),
          webhook_update_state: callback === 'NOT_SENT' ? 'FAILED' : callback,
        })),
      },
    }));
  return pageOf(request, rows, 100);
}

function recentOf({ records }: Call['simulation'], numberId: string) {
  return records
    .newest(1_000)
    .reverse()
    .filter(({ phoneNumberId }) => phoneNumberId === numberId);
}
