// Media: uploaded by a number, described, downloaded for five minutes at a time, forgotten after 30 days (7 for what
// customers sent).
import { createHash, createHmac } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { GraphError, unknownObject } from '../errors.ts';
import type { Call } from '../http/http.ts';
import { readForm } from '../http/multipart.ts';
import type { Simulation } from '../simulation.ts';
import { type Media, requireNumber } from '../world.ts';
import { contentProblem } from './codecs.ts';
import { downloadMs, kindOfMime, lifeMs, mostBytesOf, mostMediaBytes } from './media-types.ts';

export async function uploadMedia(call: Call): Promise<{ id: string }> {
  const { simulation, tenant, id } = call;
  const number = requireNumber(simulation.world, tenant, id);
  const { fields, file } = await readForm(call);
  if (fields.messaging_product !== 'whatsapp')
    throw new GraphError(100, 'The parameter messaging_product is required.');
  if (!file) throw new GraphError(100, 'The parameter file is required.');
  const stray = Object.keys(fields).find(
    (name) => !['messaging_product', 'type', 'ttl_minutes'].includes(name),
  );
  if (stray) throw new GraphError(100, `Unexpected key "${stray}" on param "body".`);
  // Some clients give only the kind, such as "image"; then the part itself says the type.
  const mimeType = fields.type?.includes('/') ? fields.type : file.mimeType;
  checkFile(mimeType, file);
  const mediaId = simulation.random.id();
  simulation.world.media.set(mediaId, {
    id: mediaId,
    phoneNumberId: number.id,
    mimeType,
    sha256: createHash('sha256').update(file.bytes).digest('hex'),
    fileSize: file.bytes.length,
    createdMs: simulation.timeline.nowMs(),
    inbound: false,
  });
  simulation.world.changed();
  await simulation.state.saveBytes(mediaId, file.bytes);
  return { id: mediaId };
}

function checkFile(mimeType: string, { bytes, tooLarge }: { bytes: Buffer; tooLarge: boolean }): void {
  const kind = kindOfMime(mimeType);
  if (!kind)
    throw new GraphError(100, `Param file must be a file with one of the supported types, not ${mimeType}.`);
  if (bytes.length === 0) throw new GraphError(100, 'Param file must not be empty.');
  const most = Math.min(mostBytesOf(kind), mostMediaBytes);
  if (tooLarge || bytes.length > most)
    throw new GraphError(131053, `A file of type ${mimeType} may have at most ${most} bytes.`);
  const problem = contentProblem(mimeType, bytes);
  if (problem) throw new GraphError(131053, problem);
}

/** The media with this id, if this token may see it and its life is not over. */
function requireMedia({ simulation, tenant, id, fields }: Call): Media {
  const { world, timeline } = simulation;
  const media = world.media.get(id);
  const number = media && world.numbers.get(media.phoneNumberId);
  const mine = number && world.wabas.get(number.wabaId)?.businessId === tenant.businessId;
  const asked = fields.phone_number_id;
  if (!media || !mine || (asked !== undefined && asked !== media.phoneNumberId)) throw unknownObject(id);
  if (timeline.nowMs() > media.createdMs + lifeMs(media)) throw unknownObject(id);
  return media;
}

export function describeMedia(call: Call) {
  const { simulation, request } = call;
  const media = requireMedia(call);
  return {
    messaging_product: 'whatsapp',
    url: downloadUrl(simulation, request, media),
    mime_type: media.mimeType,
    sha256: media.sha256,
    file_size: media.fileSize,
    id: media.id,
  };
}

export async function deleteMedia(call: Call): Promise<{ success: true }> {
  const { simulation } = call;
  const media = requireMedia(call);
  simulation.world.media.delete(media.id);
  simulation.world.changed();
  await simulation.state.dropBytes(media.id);
  return { success: true };
}

export const downloadPath = '/whatsapp_business/attachments/';

const sign = ({ options }: Simulation, mediaId: string, untilS: string) =>
  createHmac('sha256', options.appSecret).update(`${mediaId}/${untilS}`).digest('base64url').slice(0, 24);

function downloadUrl(simulation: Simulation, request: FastifyRequest, { id }: Media): string {
  const untilS = String(Math.floor((simulation.timeline.nowMs() + downloadMs) / 1000));
  const query = new URLSearchParams({ mid: id, ext: untilS, hash: sign(simulation, id, untilS) });
  return `http://${request.headers.host}${downloadPath}?${query}`;
}

/** Answers 404 without an envelope when the link is over, as the provider's file host does. */
export async function downloadMedia(call: Call, reply: FastifyReply): Promise<unknown> {
  const { simulation, fields } = call;
  const { mid = '', ext = '', hash = '' } = fields as Record<string, string>;
  const current = Number(ext) * 1000 >= simulation.timeline.nowMs();
  if (!current || hash !== sign(simulation, mid, ext)) return reply.code(404).send();
  const media = requireMedia({ ...call, id: mid, fields: {} });
  const bytes = await simulation.state.loadBytes(media.id);
  if (!bytes) return reply.code(404).send();
  return reply.type(media.mimeType).send(bytes);
}
