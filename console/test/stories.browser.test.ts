// The console in a real browser, against a whole service: how people come in, what they see, and that nothing else is there.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { totpCode } from '../../server/src/modules/identity/mfa/totp.ts';
import { type Role, roleCatalogue, scopesOfRole } from '../../server/src/modules/roles/catalogue.ts';
import { beginDeadline } from '../../server/test/harness/deadline.ts';
import { linkIn } from '../../server/test/harness/outbox.ts';
import { setPolicy, withPassword } from '../../server/test/harness/sign-in.ts';
import { until } from '../../server/test/harness/until.ts';
import { canWith, type OperationId } from '../src/api/can.ts';
import { type PageEntry, pages } from '../src/shell/pages.ts';
import { en } from '../src/words/en.ts';
import { resources } from '../src/words/resources/en.ts';
import { isHome, sharedStage, signIn } from './stage.ts';

const stage = sharedStage();
const { visitor, signedIn, home } = stage;

async function sendHello(to: string): Promise<void> {
  const { body } = await stage.app.get(`${stage.app.at}/senders`);
  const template = { name: 'hello_world', language: 'en' };
  const sent = await stage.app.post(`${stage.app.at}/messages`, {
    from: body.data[0].sid,
    to,
    type: 'template',
    template,
  });
  assert.equal(sent.status, 201, sent.text);
  await until('it was delivered', async () => {
    stage.app.clock.advance(100);
    await stage.app.simulator.control.advance(0);
    const { body: message } = await stage.app.get(`${stage.app.at}/messages/${sent.body.sid}`);
    return ['delivered', 'read'].includes(message.status);
  });
}

suite('coming in', () => {
  test('the address of the service leads to the sign-in, and a password from there to Home with its figures', async () => {
    await sendHello('+33612345678');
    await until('it is counted', async () => {
      const { body } = await stage.app.get(
        `${stage.app.at}/analytics/messages?groupBy=hour,direction,status`,
      );
      return body.data.some(({ status }: { status: string }) => ['delivered', 'read'].includes(status));
    });
    const { page, troubles, leave } = await visitor();
    await page.goto(stage.app.url);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    troubles(); // that nobody has signed in is told by a 401, which browsers write down
    await signIn(page, stage.owner.email);
    await isHome(page);
    assert.equal(page.url(), home('sandbox'));
    await page.locator('[data-figure=delivered]', { hasText: /^1$/ }).waitFor();
    assert.equal(await page.locator('[data-figure=sent]').textContent(), '1');
    assert.equal(await page.locator('[data-figure=failed]').textContent(), '0');
    await page.locator('[data-step=message]', { hasText: 'Done' }).waitFor();
    await page.locator('[data-step=webhook]', { hasText: 'Not yet' }).waitFor();
    assert.deepEqual(troubles(), []);
    await leave();
  });
  test('a wrong password is refused in words, and the way back leads to where one wanted to go', async () => {
    const { page, leave } = await visitor();
    const wanted = `${home('live')}?from=a-link`;
    await page.goto(wanted);
    await signIn(page, stage.owner.email, 'not the password');
    await page.getByRole('alert').getByText('AUTHENTICATION_ERROR').waitFor();
    await signIn(page, stage.owner.email);
    await isHome(page);
    assert.ok(page.url().startsWith(home('live')), page.url());
    await leave();
  });
  test('a link to the sign-in leads nowhere else afterwards', async () => {
    const { page, leave } = await visitor();
    for (const to of [
      'https://evil.example/',
      '//evil.example/console/',
      '/v1/me',
      '/console/\\evil.example',
    ]) {
      await page.goto(`${stage.app.url}/console/sign-in?to=${encodeURIComponent(JSON.stringify(to))}`);
      await signIn(page, stage.owner.email);
      await isHome(page);
      assert.equal(page.url(), home('sandbox'), to);
    }
    await leave();
  });
  test('somebody with an authenticator app gives its code', async () => {
    const ada = await withPassword(stage.app, { factor: 'totp' });
    const { page, troubles, leave } = await visitor();
    await page.goto(`${stage.app.url}/console/sign-in`);
    await signIn(page, ada.email);
    await page.getByLabel('Code').fill(ada.totp!.code());
    await page.getByRole('button', { name: 'Confirm' }).click();
    await isHome(page);
    assert.deepEqual(troubles(), []);
    await leave();
  });
  test('an invitation and a forgotten password lead through their mails to a sign-in', async () => {
    const email = 'lise@example.com';
    await stage.app.post(`${stage.app.at}/users`, { email }, stage.owner.headers);
    const { page, troubles, leave } = await visitor();
    await page.goto(linkIn(await stage.app.mailTo(email)));
    await page.getByLabel('Your name').fill('Lise');
    await page.getByLabel('New password').fill('nuclear fission in Kungälv');
    assert.ok(!page.url().includes('token'), 'the token stays in no history');
    await page.getByRole('button', { name: 'Accept' }).click();
    await page.getByText('Welcome').waitFor();
    await page.getByLabel('E-mail').fill(email);
    await page.getByRole('button', { name: 'I forgot' }).click();
    await page.getByText('a mail is on its way').waitFor();
    // A mail from before there was a console leads to the same page.
    const link = linkIn(await stage.app.mailTo(email, 2));
    await page.goto(link.replace('/console/password-reset#', '/password-reset#'));
    await page.getByLabel('New password').fill('snow on the way to Stockholm');
    await page.getByRole('button', { name: 'Set the password' }).click();
    await page.getByText('The password is set').waitFor();
    await signIn(page, email, 'snow on the way to Stockholm');
    await page.getByRole('heading', { name: 'You have no role' }).waitFor();
    assert.deepEqual(troubles(), []);
    await leave();
  });
  test('where the organization asks for a second factor, adding one is the first thing and the only one', async () => {
    const other = await stage.app.newAccount();
    const ada = await withPassword(stage.app, { accountSid: other.accountSid });
    await setPolicy(stage.app, ada.organizationId, { mfa_required_for_all_roles: true });
    const { page, troubles, leave } = await visitor();
    await page.goto(`${stage.app.url}/console/sign-in`);
    await signIn(page, ada.email);
    await page.getByRole('button', { name: 'authenticator app' }).click();
    const secret = (await page.locator('code').first().textContent())!;
    await page.getByLabel('Code of the app').fill(totpCode(secret, stage.app.clock.now()));
    await page.getByRole('button', { name: 'Finish' }).click();
    await page.getByRole('heading', { name: 'Recovery codes' }).waitFor();
    assert.equal(await page.getByRole('listitem').count(), 10);
    await page.getByRole('button', { name: 'I have kept them' }).click();
    await isHome(page);
    // From where the first message is one step away.
    await page.getByRole('link', { name: 'A first message' }).click();
    await page.locator('input[type=tel]').waitFor();
    assert.deepEqual(troubles(), []);
    await leave();
  });
});

suite('inside', () => {
  test('sandbox and live stand side by side, each with its own figures, and leaving one leaves both', async () => {
    const { context, page, leave } = await signedIn();
    const live = await context.newPage();
    await live.goto(home('live'));
    await isHome(live);
    await live.locator('[data-figure=sent]', { hasText: /^0$/ }).waitFor();
    await page.reload();
    await page.locator('[data-figure=sent]', { hasText: /^1$/ }).waitFor();
    assert.equal(await live.locator('header').getAttribute('data-environment'), 'live');
    assert.equal(await page.locator('header').getAttribute('data-environment'), 'sandbox');
    await live.getByRole('button', { name: 'Test person' }).click();
    await live.getByRole('button', { name: 'Sign out' }).click();
    await live.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await leave();
  });
  test('a session that was ended elsewhere leads to the sign-in, and back to the same page', async () => {
    const ada = await withPassword(stage.app);
    const { page, leave } = await signedIn(ada.email);
    await stage.app.sql('update sessions set revoked_at = $2 where user_sid = $1', [
      ada.userSid,
      stage.app.clock.now(),
    ]);
    await page.reload();
    await signIn(page, ada.email);
    await isHome(page);
    await leave();
  });
  test('the keyboard opens the palette, changes the language and lists its keys', async () => {
    const { page, troubles, leave } = await signedIn();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('Franç');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Accueil', level: 1 }).waitFor();
    assert.equal(await page.locator('html').getAttribute('lang'), 'fr');
    assert.deepEqual(troubles(), []);
    await leave();
  });
});

suite('messages', () => {
  const at = (path: string) => `${home('sandbox')}/messages${path}`;
  const person = '+33612003401';
  const verdict = (page: Page, is: 'accepted' | 'refused') =>
    page.locator(`[data-verdict=${is}][aria-busy=false]`).waitFor();
  const gate = (page: Page, name: string, outcome: string) =>
    page.locator(`[data-gate="${name}"][data-outcome=${outcome}]`).waitFor();
  const sendButton = (page: Page) => page.getByRole('button', { name: 'Send', exact: true });

  const arrives = (text: string) =>
    until('it arrived', async () => {
      stage.app.clock.advance(100);
      await stage.app.simulator.control.advance(0);
      const { body } = await stage.app.get(`${stage.app.at}/messages?direction=inbound`);
      return body.data.some(({ content }: { content: { body?: string } | null }) => content?.body === text);
    });

  async function theyWrite(text: string): Promise<void> {
    const { body } = await stage.app.get(`${stage.app.at}/senders`);
    const { phoneNumber } = body.data[0];
    await stage.app.simulator.control.inbound({ from: person.slice(1), to: phoneNumber.slice(1), text });
    await arrives(text);
  }

  /** From anywhere, as the two stories after this one: without a mouse. */
  async function writeTo(page: Page, number: string): Promise<void> {
    await page.keyboard.press('g');
    await page.keyboard.press('m');
    await page.getByRole('heading', { name: 'Messages', level: 1 }).waitFor();
    await tabTo(page, page.getByRole('link', { name: 'Write a message' }));
    await page.keyboard.press('Enter');
    await page.locator('input[type=tel]:focus').waitFor();
    await page.keyboard.type(number);
  }

  async function tabTo(page: Page, wanted: Locator): Promise<void> {
    await wanted.waitFor();
    for (let presses = 0; presses < 200; presses += 1) {
      if (await wanted.evaluate((element) => element === element.ownerDocument.activeElement)) return;
      await page.keyboard.press('Tab');
    }
    assert.fail(`Tab does not lead to ${wanted}`);
  }

  /** What is sent, by the arrow keys from the first of the list. */
  async function choose(page: Page, label: string): Promise<void> {
    const what = page.getByLabel('What', { exact: true });
    await tabTo(page, what);
    await page.keyboard.press('Home');
    await until(`${label} is chosen`, async () => {
      const chosen = await what.locator('option:checked').textContent();
      if (chosen !== label) await page.keyboard.press('ArrowDown');
      return chosen === label;
    });
  }

  test('are written by keyboard alone, judged while one types, sent, and seen to arrive', async () => {
    const { page, troubles, leave } = await signedIn();
    await writeTo(page, person);
    await verdict(page, 'accepted');
    await gate(page, 'funds', 'pass');
    // On a slow machine half a number is judged, and refused.
    assert.deepEqual(
      troubles().filter((trouble) => !/ 400 \(Bad Request\) .*\/messages\/preflight$/.test(trouble)),
      [],
    );
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: /^Message SM/ }).waitFor();
    const sid = new URL(page.url()).pathname.split('/').at(-1)!;
    await until('it was delivered', async () => {
      stage.app.clock.advance(100);
      await stage.app.simulator.control.advance(0);
      const { body } = await stage.app.get(`${stage.app.at}/messages/${sid}`);
      return ['delivered', 'read'].includes(body.status);
    });
    await page.locator('dd [data-state=delivered], dd [data-state=read]').waitFor();
    await page.locator('[data-entry=attempt]').first().waitFor();
    await page.locator('[data-written-by=BUSINESS]:is([data-state=DELIVERED], [data-state=READ])').waitFor();
    assert.equal(await stage.app.count(`messages where direction = 'outbound' and address = '${person}'`), 1);
    assert.deepEqual(troubles(), []);
    await leave();
  });
  test('in own words cannot be sent to whoever has not written, who can have a template, or an answer once they wrote', async () => {
    const { page, leave } = await signedIn();
    const text = page.getByLabel('Text', { exact: true });
    await writeTo(page, person);
    await choose(page, 'Own words');
    await tabTo(page, text);
    await page.keyboard.type('Hello');
    await verdict(page, 'refused');
    await page.getByText('SERVICE_WINDOW_CLOSED').first().waitFor();
    await gate(page, 'service_window', 'fail');
    assert.equal(await sendButton(page).isEnabled(), false);
    const offered = page.locator('[data-instead] li', { hasText: 'hello_world (en)' });
    await offered.getByText(/^\$0\.\d+$/).waitFor();
    await tabTo(page, offered.getByRole('button'));
    await page.keyboard.press('Enter');
    await verdict(page, 'accepted');
    assert.equal(await sendButton(page).isEnabled(), true);

    await theyWrite('Hi');
    await choose(page, 'Own words');
    await tabTo(page, text);
    await page.keyboard.type(' again');
    await verdict(page, 'accepted');
    assert.equal(await sendButton(page).isEnabled(), true);
    await leave();
  });
  test('of marketing can be sent to whoever wrote START on the phone, and turn red by their STOP, which is named', async () => {
    const { page, leave } = await signedIn();
    await writeTo(page, person);
    await choose(page, 'spring_offer (en)');
    await tabTo(page, page.getByLabel('Blank 1'));
    await page.keyboard.type('Ines');
    await tabTo(page, page.getByLabel('Blank 2'));
    await page.keyboard.type('10 %');
    await verdict(page, 'refused');
    await gate(page, 'consent', 'fail');
    const says = async (text: string) => {
      await tabTo(page, page.getByLabel('Answer from the phone'));
      await page.keyboard.type(text);
      await page.keyboard.press('Enter');
      await page.locator('[data-written-by=CUSTOMER]', { hasText: text }).waitFor();
      await arrives(text);
    };
    await says('START');
    await verdict(page, 'accepted');
    assert.equal(await sendButton(page).isEnabled(), true);
    await says('STOP');
    await verdict(page, 'refused');
    await gate(page, 'suppression', 'fail');
    await page.getByText('KEYWORD_OPT_OUT').waitFor();
    assert.equal(await sendButton(page).isEnabled(), false);
    // What decided leads to its page, and so does its SID in the palette.
    await tabTo(page, page.locator('[data-gate=suppression] a', { hasText: /^SU/ }));
    await page.keyboard.press('Enter');
    await page.locator('[data-suppression=active]').waitFor();
    const sid = new URL(page.url()).pathname.split('/').at(-1)!;
    await page.keyboard.press('g');
    await page.keyboard.press('m');
    await page.getByRole('heading', { name: 'Messages', level: 1 }).waitFor();
    await page.keyboard.press('/');
    await page.locator('[role=dialog] input:focus').waitFor();
    await page.keyboard.type(sid);
    await page.getByRole('option', { name: `Open ${sid}` }).waitFor();
    await page.keyboard.press('Enter');
    await page.locator('[data-suppression=active]').waitFor();
    await leave();
  });
  test('are found by status, and the filter stands in the address', async () => {
    const { page, troubles, leave } = await signedIn();
    await page.goto(at('?status=failed'));
    await page.getByText('No message fits.').waitFor();
    await page.getByLabel('Status').selectOption('received');
    await page
      .getByRole('row', { name: /Incoming/ })
      .first()
      .waitFor();
    assert.match(page.url(), /status=received/);
    await page
      .getByRole('row', { name: /Incoming/ })
      .getByRole('link')
      .first()
      .click();
    await page.getByRole('heading', { name: /^Message SM/ }).waitFor();
    assert.deepEqual(troubles(), []);
    await leave();
  });
});

suite('what somebody sees', () => {
  /** What pages offer at their head, and the operations without which it would lead nowhere. */
  const offers: { on: PageEntry['name']; says: string; needs: OperationId[] }[] = [
    { on: 'messages', says: en.messages.write, needs: ['sendMessage', 'listSenders'] },
    { on: 'contacts', says: en.contacts.make, needs: ['createContact'] },
    { on: 'segments', says: en.segments.make, needs: ['createSegment'] },
    { on: 'files', says: en.contactFiles.startImport, needs: ['importContacts'] },
    { on: 'files', says: en.contactFiles.startExport, needs: ['exportContacts'] },
    { on: 'templates', says: resources.templates.make, needs: ['createTemplate'] },
    { on: 'templates', says: resources.templates.sync, needs: ['syncTemplates'] },
    { on: 'media', says: resources.media.make, needs: ['createMedia'] },
    { on: 'contents', says: resources.contents.make, needs: ['createContent'] },
    { on: 'flows', says: resources.flows.make, needs: ['registerFlow'] },
    { on: 'senders', says: resources.senders.make, needs: ['createSender'] },
    { on: 'pools', says: resources.pools.make, needs: ['createSenderPool'] },
    { on: 'wabas', says: resources.wabas.make, needs: ['connectWaba'] },
    { on: 'webhooks', says: en.webhooks.make, needs: ['createWebhook'] },
    { on: 'keys', says: en.keys.make, needs: ['createApiKey'] },
  ];

  test('by each built-in role is a menu of the pages whose operations it may call, each offering what it may do there', async () => {
    const made = await visitor();
    const { context, page, troubles, leave } = made;
    for (const role of Object.keys(roleCatalogue) as Role[]) {
      beginDeadline();
      const { email } = await withPassword(stage.app, { roles: [role] });
      await context.clearCookies();
      await stage.enter(made, email);
      const can = canWith(scopesOfRole(role));
      const mine = pages.filter(({ anyOf }) => anyOf.length === 0 || anyOf.some(can));
      const menu = page.getByRole('navigation', { name: 'Pages' });
      const shown = await menu.getByRole('link').allTextContents();
      assert.deepEqual(
        shown,
        mine.map((entry) => en.pages[entry.name]),
        role,
      );
      for (const { name: on } of mine) {
        const here = offers.filter((offer) => offer.on === on);
        if (here.length === 0) continue;
        await menu.getByRole('link', { name: en.pages[on], exact: true }).click();
        await page.getByRole('heading', { name: en.pages[on], level: 1, exact: true }).waitFor();
        const offered = [];
        for (const { says } of here)
          if ((await page.locator('main').getByText(says, { exact: true }).count()) > 0) offered.push(says);
        const allowed = here.filter(({ needs }) => needs.every(can)).map(({ says }) => says);
        assert.deepEqual(offered, allowed, `${role} ${on}`);
      }
      assert.deepEqual(troubles(), [], role);
    }
    await leave();
  });
});
