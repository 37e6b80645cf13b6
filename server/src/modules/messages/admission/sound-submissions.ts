// Bodies that were judged one by one: one that is wrong refuses nobody else.
import { ApiError } from '../../../platform/errors/errors.ts';
import type { Judged } from '../../../platform/http/input/batch-body.ts';
import type { Submission } from '../drafts/read-message.ts';
import type { NewMessage } from '../schema.ts';

export type JudgedSubmission = Omit<Submission, 'body'> & { body: Judged<NewMessage> };

/** What the work makes of each that is sound, in order, and the error of each that is not. */
export async function eachSound<Made>(
  submissions: readonly JudgedSubmission[],
  work: (sound: Submission[]) => Promise<Made[]>,
): Promise<(Made | ApiError)[]> {
  const sound = submissions.filter((one): one is Submission => !(one.body instanceof ApiError));
  const made = (await work(sound)).values();
  return submissions.map(({ body }) => (body instanceof ApiError ? body : made.next().value!));
}
