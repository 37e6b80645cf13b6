// Resumable uploads: a session, its bytes from an offset on, a handle at the end.
import { GraphError, unknownObject } from '../errors.ts';
import type { Call } from '../http/http.ts';
import type { Simulation } from '../simulation.ts';

const types = ['application/pdf', 'image/jpeg', 'image/jpg', 'image/png', 'video/mp4'];
const mostSessions = 1_000;

type Session = { businessId: string; type: string; length: number; received: number };
const sessionsOf = new WeakMap<Simulation, Map<string, Session>>();

function sessions(simulation: Simulation): Map<string, Session> {
  const known = sessionsOf.get(simulation) ?? new Map<string, Session>();
  sessionsOf.set(simulation, known);
  return known;
}

export const isUpload = (id: string) => id.startsWith('upload:');

export function openUpload({ simulation, tenant, id, fields }: Call): { id: string } {
  if (id !== simulation.options.appId) throw unknownObject(id);
  const length = Number(fields.file_length);
  if (!types.includes(fields.file_type))
    throw new GraphError(100, `file_type must be one of ${types.join(', ')}.`);
  if (!Number.isInteger(length) || length < 1 || length > 100 * 1024 * 1024)
    throw new GraphError(100, 'file_length must be the number of bytes, at most 100 MB.');
  const all = sessions(simulation);
  const sessionId = `upload:${Buffer.from(`${simulation.random.id()}:attachment`).toString('base64url')}`;
  all.set(sessionId, { businessId: tenant.businessId, type: fields.file_type, length, received: 0 });
  if (all.size > mostSessions) all.delete(all.keys().next().value!);
  return { id: sessionId };
}

function requireSession({ simulation, tenant, id }: Call): Session {
  const session = sessions(simulation).get(id.split('?')[0]!);
  if (!session || session.businessId !== tenant.businessId) throw unknownObject(id);
  return session;
}

export function uploadOffset(call: Call): { id: string; file_offset: number } {
  return { id: call.id, file_offset: requireSession(call).received };
}

export function uploadBytes(call: Call): { h: string } | { id: string; file_offset: number } {
  const session = requireSession(call);
  const { request, body, simulation } = call;
  const offset = Number(request.headers.file_offset ?? Number.NaN);
  if (offset !== session.received)
    throw new GraphError(
      100,
      `file_offset must be ${session.received}, the number of bytes received so far.`,
    );
  const bytes = Buffer.isBuffer(body)
    ? body
    : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body ?? ''));
  if (offset + bytes.length > session.length)
    throw new GraphError(100, 'There are more bytes than file_length said.');
  session.received += bytes.length;
  if (session.received < session.length) return uploadOffset(call);
  const type = Buffer.from(session.type).toString('base64');
  return { h: `4::${type}:ARb${simulation.random.word(24)}` };
}
