// The provider's own pages on which a business lets an app into its account. Nobody signs in: whoever comes is the business that the
// link names, and may also choose the account of somebody else, or think for too long.
import { hostedPage } from '../http/hosted-pages.ts';
import { asHtml } from '../http/html.ts';

const layout = (title: string, body: string) =>
  hostedPage(
    title,
    body,
    'This page is simulated: nobody signs in, and no account of a real business is shared.',
  );

export type Offered = { id: string; name: string; numbers: string[] };

/** What the page was opened with, to be sent along with the answer. */
export type Asked = { clientId: string; redirectUri: string; state: string; extras: string };

const hidden = (name: string, value: string) =>
  `<input type="hidden" name="${name}" value="${asHtml(value)}">`;

export function signupPage(asked: Asked, offered: Offered[], stranger: Offered): string {
  const choice = ({ id, name, numbers }: Offered, isFirst: boolean, words = '') =>
    `<label><input type="radio" name="account" value="${asHtml(id)}"${isFirst ? ' checked' : ''}> ${words}${asHtml(name)} ${asHtml(id)}${
      numbers.length > 0 ? ` (${asHtml(numbers.join(', '))})` : ''
    }</label>`;
  return layout(
    'Connect a business account',
    `<h1>Connect a business account</h1>
<p>The app ${asHtml(asked.clientId)} asks to manage a WhatsApp Business account and to send messages from it.</p>
<form method="post" action="/dialog/oauth">
${hidden('client_id', asked.clientId)}${hidden('redirect_uri', asked.redirectUri)}${hidden('state', asked.state)}${hidden('extras', asked.extras)}
<fieldset><legend>Which account?</legend>
${offered.map((one, index) => choice(one, index === 0)).join('\n')}
${choice(stranger, offered.length === 0, 'An account of another business: ')}
</fieldset>
<button type="submit" name="answer" value="continue">Continue</button>
<button type="submit" name="answer" value="later">Continue, but take your time</button>
<button type="submit" name="answer" value="cancel">Cancel</button>
</form>`,
  );
}

export const laterPage = (url: string): string =>
  layout(
    'One more thing',
    `<h1>One more thing</h1>
<p>The code is made, and is good for 30 seconds. Go back to the app when you like.</p>
<p><a href="${asHtml(url)}">Back to the app</a></p>`,
  );

export const wrongLinkPage = (why: string): string =>
  layout('This link does not work', `<h1>This link does not work</h1>\n<p>${asHtml(why)}</p>`);
