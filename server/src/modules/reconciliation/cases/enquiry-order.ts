// The order to ask the provider about a case's messages; `reports/enquiries.ts` carries it out.
import { Closed, Sid } from '../../../platform/http/input/schema.ts';
import { untilDone } from '../../../platform/jobs/jobs.ts';

export const enquiry = {
  name: 'reconciliation.enquire',
  payload: Closed({ caseSid: Sid('CS') }),
  attempts: untilDone,
};
