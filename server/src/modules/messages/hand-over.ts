// The call itself. Between the commit that claimed a message and the one that records the answer nothing is locked.
import type { TenantJobContext } from '../../platform/jobs.ts';
import { providerMediaId } from '../media/index.ts';
import type { Accepted, Answered, ProviderFailure } from '../provider/index.ts';
import type { HandOff } from './build-hand-offs.ts';

/** Hands a message over and tells what the provider answered. Never throws. */
export async function handOver(context: TenantJobContext, handOff: HandOff): Promise<Answered<Accepted>> {
  const media = await mediaIds(context, handOff).catch((error) => {
    context.log.error(
      { err: error, messageSid: handOff.message.sid },
      'the files of a message could not be named',
    );
    return notYet;
  });
  // A file that cannot be had is this message's trouble: nothing was handed over.
  if (!media.ok) return media;
  try {
    const { connection, outbound } = handOff;
    return await context.ports.provider.send(connection, { ...outbound, mediaIds: media.value });
  } catch (error) {
    context.log.error({ err: error, messageSid: handOff.message.sid }, 'a hand-off failed in an unknown way');
    return { ok: false, failure: failureOf('PROVIDER_RESULT_UNKNOWN', false) };
  }
}

async function mediaIds(
  context: TenantJobContext,
  { connection, outbound, mediaSids }: HandOff,
): Promise<Answered<ReadonlyMap<string, string>>> {
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
