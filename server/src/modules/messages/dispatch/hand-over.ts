// The calls. A message's files are made known to the provider first, while it still waits; the message itself is called the
// moment its claim has committed. Between that commit and the one that records the answer nothing is locked.
import type { TenantJobContext } from '../../../platform/jobs/jobs.ts';
import { providerMediaId } from '../../media/index.ts';
import type { Accepted, Answered, ProviderFailure } from '../../provider/index.ts';
import type { HandOff } from './build-hand-offs.ts';

/**
 * How long after its last look a message may still leave. Whoever forbids it waits that long for hand-offs whose answer is
 * not known, so a process that was held up longer, or a connection that took longer, must not call any more.
 */
export const beginWithinMs = 2_000;

type Named = ReadonlyMap<string, string>;

/** The provider's names of a message's files, uploading those it does not know. Never throws. */
export async function prepareFiles(context: TenantJobContext, handOff: HandOff): Promise<Answered<Named>> {
  return mediaIds(context, handOff).catch((error) => {
    context.log.error(
      { err: error, messageSid: handOff.message.sid },
      'the files of a message could not be named',
    );
    return notYet;
  });
}

/** Hands a message over and tells what the provider answered. Never throws. */
export async function handOver(
  context: TenantJobContext,
  { connection, outbound, message }: HandOff,
  mayBegin: () => boolean,
): Promise<Answered<Accepted>> {
  if (!mayBegin()) return notYet;
  try {
    return await context.ports.provider.send(connection, outbound, mayBegin);
  } catch (error) {
    context.log.error({ err: error, messageSid: message.sid }, 'a hand-off failed in an unknown way');
    return { ok: false, failure: failureOf('PROVIDER_RESULT_UNKNOWN', false) };
  }
}

async function mediaIds(
  context: TenantJobContext,
  { connection, outbound, mediaSids }: HandOff,
): Promise<Answered<Named>> {
  const ids = new Map<string, string>();
  for (const mediaSid of mediaSids) {
    const { phoneNumberId } = outbound;
    const answered = await providerMediaId(context, { mediaSid, connection, phoneNumberId });
    if (!answered.ok) return { ok: false, failure: notHandedOver(answered.failure) };
    ids.set(mediaSid, answered.value.mediaId);
  }
  return { ok: true, value: ids };
}

/** An upload of which nobody knows what became may simply be repeated: it is no message. */
const notHandedOver = (failure: ProviderFailure): ProviderFailure =>
  failure.code === 'PROVIDER_RESULT_UNKNOWN'
    ? { ...failure, code: 'MEDIA_PROVIDER_ERROR', retryable: true }
    : failure;

const failureOf = (code: ProviderFailure['code'], retryable: boolean): ProviderFailure => ({
  code,
  retryable,
  providerCode: null,
  providerSubcode: null,
  reason: '',
  retryAfterMs: null,
});

const notYet = { ok: false as const, failure: failureOf('INTERNAL_TEMPORARY_ERROR', true) };
