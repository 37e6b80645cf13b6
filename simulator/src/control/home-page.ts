// What a person sees who opens the simulator's address.
import { magicBehaviours } from '../behaviour.ts';
import { errorKinds } from '../errors.ts';
import { asHtml, code, overview, row } from '../http/html.ts';

const controls: [string, string][] = [
  ['GET /_control/counts', 'how many messages were accepted, refused and told of'],
  ['GET /_control/messages?opaque=…', 'what was accepted with this biz_opaque_callback_data, and how often'],
  ['GET /_control/messages, /callbacks', 'the whole record, page by page (after, limit)'],
  ['POST /_control/inbound', 'a customer writes: {"from", "to", "text"} or {"type", "content"}'],
  ['POST /_control/preferences', 'a customer stops or resumes marketing: {"from", "to", "value"}'],
  ['POST /_control/rules', 'faults: {"match", "behaviour", "count", "probability"}'],
  ['PATCH /_control/settings', 'delays, duplicates, reordering, lost callbacks, limits'],
  ['POST /_control/advance', 'move the clock: {"ms"}'],
  ['POST /_control/templates/{id}/status, /quality, /category', 'what the provider does to a template'],
  ['PATCH /_control/wabas/{id}, /phone-numbers/{id}, /templates/{id}', 'set facts without telling'],
  ['POST /_control/reset', 'forget what was recorded; {"everything": true} forgets accounts too'],
];

export function homePage(): string {
  const codes = Object.keys(errorKinds).filter((one) => one.length <= 6);
  const sample = (prefix: string, digits: string | number) =>
    `+49151${prefix}${String(digits).padStart(6, '0')}`;
  return overview(
    'Provider simulator',
    `<h1>The messaging provider, simulated</h1>
<p>It speaks the wire format of the WhatsApp Cloud API and sends signed callbacks. Nobody receives a message, and nothing
leaves this machine but the fetching of media by link.</p>
<h2>Recipients that do something special</h2>
<p>The last eight digits decide; any country code will do.</p>
<table>${row(code(sample('90', 131026)), '<b>90</b> and a code: accepted, then failed with that code')}
${row(code(sample('91', 131056)), '<b>91</b> and a code: refused with that code')}
${magicBehaviours.map(({ suffix, means }) => row(code(`+49151${suffix}`), asHtml(means))).join('\n')}</table>
<h2>Codes</h2>
<table>${codes.map((one) => row(code(one.padStart(6, '0')), asHtml(errorKinds[Number(one)]!.title))).join('\n')}</table>
<h2>Control</h2>
<table>${controls.map(([call, means]) => row(code(call), asHtml(means))).join('\n')}</table>`,
  );
}
