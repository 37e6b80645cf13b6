// What keeping to promises about people's data costs: removing it when its time is over, erasing a person, and what that leaves of sends.
import { measureEach, type Part } from '../../part.ts';
import { erasureSize, measureErasure } from './erasure.ts';
import { hashCount, measureOptOuts } from './opt-outs.ts';
import { measureRetention, retentionSize } from './retention.ts';
import { measureSends } from './sends.ts';

const many = (count: number) => count.toLocaleString('en');

export const privacy: Part = {
  name: 'privacy',
  description: `retention of ${many(retentionSize)} messages (BENCH_RETENTION) beside bare batches, erasure of a person with ${many(erasureSize)} (BENCH_ERASURE), sends beside retention and beside ${many(hashCount)} opt-outs (BENCH_OPT_OUTS) (--only retention, erasure, sends, opt-outs)`,
  run: (context) =>
    measureEach(context, {
      retention: measureRetention,
      erasure: measureErasure,
      sends: measureSends,
      'opt-outs': measureOptOuts,
    }),
};
