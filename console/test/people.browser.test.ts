// The people an account writes to, in a real browser against a whole service.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { suite, test } from 'node:test';
import type { Page } from 'playwright-core';
import { peopleOf, phone, portrait } from '../../server/test/harness/contacts.ts';
import { withPassword } from '../../server/test/harness/sign-in.ts';
import { until } from '../../server/test/harness/until.ts';
import { sharedStage } from './stage.ts';
import { isTooWide, violations } from './visitor.ts';

const stage = sharedStage();
const { signedIn, home } = stage;

suite('contacts', () => {
  const name = '<img src=x onerror=alert(1)> Inès';

  test('are made, found by a part of their name, and led from there to the composer', async () => {
    const { page, troubles, leave } = await signedIn();
    await page.goto(`${home('sandbox')}/contacts`);
    await page.getByRole('button', { name: 'New contact' }).click();
    await page.getByLabel('Number', { exact: true }).fill('not a number');
    await page.getByRole('button', { name: 'Create the contact' }).click();
    await page.locator('input[name=phone][aria-invalid=true]').waitFor();
    troubles(); // a refusal is written down by browsers
    await page.getByLabel('Number', { exact: true }).fill('+33612007701');
    await page.getByLabel('Name', { exact: true }).fill(name);
    await page.getByRole('button', { name: 'Create the contact' }).click();
    await page.getByRole('heading', { name, level: 1 }).waitFor();
    await page.goto(`${home('sandbox')}/contacts`);
    await page.getByLabel('Name or number').fill('nobody of that name');
    await page.getByRole('button', { name: 'Find' }).click();
    await page.getByText('Nobody fits.').waitFor();
    await page.getByLabel('Name or number').fill('ines');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name }).click();
    await page.getByRole('link', { name: 'Write to them' }).click();
    await page.locator('input[type=tel]').waitFor();
    assert.equal(await page.locator('input[type=tel]').inputValue(), '+33612007701');
    assert.deepEqual(troubles(), []);
    await leave();
  });
  test('show what they agreed to with its record, and what stands against writing to them until it is lifted', async () => {
    const { body: ines } = await stage.app.get(`${stage.app.at}/contacts?q=ines`);
    const { page, troubles, leave } = await signedIn(undefined, { viewport: { width: 360, height: 740 } });
    await page.goto(`${home('sandbox')}/contacts/${ines.data[0].sid}`);
    await page.locator('[data-purpose=MARKETING] [data-consent=UNKNOWN]').waitFor();
    await page.getByRole('button', { name: 'Record a consent' }).click();
    await page.getByLabel('In these words').fill('Yes, write me');
    await page.getByRole('button', { name: 'Record it' }).click();
    await page.locator('[data-purpose=MARKETING] [data-consent=OPTED_IN]').waitFor();
    const row = page.getByRole('row', { name: 'DASHBOARD' });
    await row.locator('summary').click();
    await row.getByText('"wording": "Yes, write me"').waitFor();
    await page.getByText('Nothing does, and nothing did.').waitFor();
    await page.getByRole('button', { name: 'Leave them alone' }).click();
    await page.locator('[data-suppression=active]').getByRole('button', { name: 'Lift' }).click();
    await page.getByRole('button', { name: 'Yes, lift it' }).click();
    await page.locator('[data-suppression=over]').waitFor();
    assert.equal(await isTooWide(page), false);
    assert.deepEqual(troubles(), []);
    await leave();
  });
  test('are changed by nobody who may only read them', async () => {
    const { email } = await withPassword(stage.app, { roles: ['VIEWER'] });
    const { page, leave } = await signedIn(email);
    const { body } = await stage.app.get(`${stage.app.at}/contacts?q=ines`);
    await page.goto(`${home('sandbox')}/contacts/${body.data[0].sid}`);
    await page.getByRole('heading', { name, level: 1 }).waitFor();
    for (const act of ['Record a consent', 'Leave them alone', 'Write to them'])
      assert.equal(await page.getByText(act).count(), 0, act);
    await leave();
  });
});

suite('a list of more than can be seen', () => {
  const many = 300;
  // Some take more room than others.
  const nameOf = (n: number) => `Person ${n}${n % 7 === 0 ? ' of a long name'.repeat(10) : ''}`;
  type Drawn = { index: number; name: string };
  const frame = (page: Page) => page.locator('div:has(> table)');
  const drawn = (page: Page) =>
    page.evaluate<Drawn[]>(`[...document.querySelectorAll('tbody tr[aria-rowindex]')].map((row) =>
      ({ index: Number(row.ariaRowIndex), name: row.cells[0].textContent }))`);
  const pressUntil = (page: Page, key: string, rowIndex: number) =>
    until(`${key} leads to row ${rowIndex}`, async () => {
      await page.keyboard.press(key);
      return (await page.locator(`tr[aria-rowindex="${rowIndex}"]`).count()) > 0;
    });

  /** Goes from the first row to the last in steps that leave none out; tells who stood where. */
  async function walk(page: Page, rowCount: number): Promise<Map<number, string>> {
    const met = new Map<number, string>();
    await frame(page).evaluate((element) => element.scrollTo(0, 0));
    await until(`all ${rowCount} were met`, async () => {
      const rows = await drawn(page);
      assert.ok(rows.length < 100, `${rows.length} rows are drawn at once`);
      for (const { index, name } of rows) met.set(index, name);
      await frame(page).evaluate((element) => element.scrollBy(0, 700));
      return met.size === rowCount && met.has(rowCount + 1);
    });
    return met;
  }

  test('draws few rows and shows each once, by wheel and by keyboard, also when others come while one looks', async () => {
    const { accountSid, sandboxKey } = await stage.app.newAccount();
    const { email } = await withPassword(stage.app, { accountSid });
    await stage.app.sql(
      `insert into contacts (account_sid, livemode, sid, display_name, search, created_at, updated_at)
       select $1, false, 'CT00' || lpad(n::text, 24, '0'), name, lower(name), $2, $2
         from unnest($3::text[]) with ordinality as named (name, n)`,
      [accountSid, stage.app.clock.now(), Array.from({ length: many }, (_, at) => nameOf(at + 1))],
    );
    const { page, troubles, leave } = await signedIn(email);
    await page.goto(`${stage.app.url}/console/sandbox/${accountSid}/contacts`);
    await page.getByRole('row', { name: `Person ${many}` }).waitFor();
    assert.equal(await page.getByRole('table').getAttribute('aria-rowcount'), '-1', 'nobody has counted');
    const wanted = Array.from({ length: many }, (_, at) => [at + 2, nameOf(many - at)] as const);
    assert.deepEqual(await walk(page, many), new Map(wanted));
    assert.equal(await page.getByRole('table').getAttribute('aria-rowcount'), String(many + 1));
    assert.deepEqual(await violations(page), []);

    await frame(page).focus();
    await pressUntil(page, 'Home', 2);
    // Whoever goes from link to link does not lose their place.
    const first = page.getByRole('link', { name: `Person ${many}` });
    await first.focus();
    await page.keyboard.press('Tab');
    await page
      .getByRole('link', { name: `Person ${many - 1}`, exact: true })
      .and(page.locator(':focus'))
      .waitFor();
    // Also when their row is far out of sight.
    await frame(page).evaluate((element) => element.scrollTo(0, 5_000));
    const inSight = await until('rows are drawn there', async () =>
      (await drawn(page)).slice(10, -10).find(({ index }) => index > 50),
    );
    await page
      .getByRole('link', { name: `Person ${many - 1}`, exact: true })
      .and(page.locator(':focus'))
      .waitFor();
    // Nor does whoever looks at one of them and comes back.
    const link = page.getByRole('link', { name: inSight.name, exact: true });
    const before = await link.boundingBox();
    await link.click();
    await page.getByRole('heading', { name: inSight.name, level: 1 }).waitFor();
    await page.goBack();
    await until(
      'the row is where it was',
      async () => Math.abs(((await link.boundingBox())?.y ?? Number.NaN) - before!.y) < 2,
    );

    await frame(page).focus();
    await pressUntil(page, 'End', many + 1);

    const identifiers = [phone()];
    const headers = { authorization: `Bearer ${sandboxKey}` };
    const { status, text } = await stage.app.post(
      `/v1/accounts/${accountSid}/contacts`,
      { identifiers, displayName: 'Latecomer' },
      headers,
    );
    assert.equal(status, 201, text);
    await pressUntil(page, 'Home', 2);
    await page.getByRole('row', { name: 'Latecomer' }).waitFor();
    const later = wanted.map(([index, name]) => [index + 1, name] as const);
    assert.deepEqual(await walk(page, many + 1), new Map([[2, 'Latecomer'], ...later]));
    assert.deepEqual(troubles(), []);
    await leave();
  });
});

suite('segments', () => {
  test('are counted, made and shown with their members, and tell why a message would not reach each of them, with what to do about it', async () => {
    const people = peopleOf(stage.app);
    const attributes = { plan: 'gold' };
    const [agreed, silent] = [await people.contact({ attributes }), await people.contact({ attributes })];
    await people.consent(agreed.sid);
    const { page, troubles, leave } = await signedIn();
    await page.keyboard.press('g');
    await page.keyboard.press('g');
    await page.getByRole('button', { name: 'New segment' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Gold customers');
    await page.getByLabel('Attributes').fill('plan=gold');
    await page.getByRole('button', { name: 'Count them' }).click();
    await page.getByText('2 belong to it now.').waitFor();
    await page.getByRole('button', { name: 'Create the segment' }).click();
    await page.getByRole('heading', { name: 'Gold customers', level: 1 }).waitFor();
    await page.locator('[data-size="2"]').waitFor();
    await page.getByRole('row', { name: `${silent.sid} attributes.plan` }).waitFor();

    await page.getByRole('link', { name: 'Why would they not be reached?' }).click();
    await page.getByLabel('What', { exact: true }).selectOption({ label: 'spring_offer (en)' });
    await page.getByLabel('Blank 1').fill('you');
    await page.getByLabel('Blank 2').fill('10 %');
    await page.getByRole('button', { name: 'Ask for every member' }).click();
    await page.locator('[data-judged="2"][data-complete=true]').waitFor();
    await page.getByText('1 would be reached.').waitFor();
    const row = page.getByRole('row', { name: 'CONSENT_REQUIRED' });
    assert.match((await row.textContent())!, /\$0\.\d+/);
    // Left out by a condition of the segment, and taken back.
    await row.getByRole('button', { name: 'Keep only those who agreed' }).click();
    await page.getByText('The segment had 2 members and has 1 now.').waitFor();
    await page.locator('[data-judged="1"][data-complete=true]').waitFor();
    const consent = { purpose: 'MARKETING', status: 'OPTED_IN' };
    const filtersNow = async () => (await stage.app.get(`${stage.app.at}/segments`)).body.data[0].filters;
    assert.deepEqual(await filtersNow(), { attributes, consent });
    await page.getByRole('button', { name: 'Take it back' }).click();
    await page.locator('[data-judged="2"][data-complete=true]').waitFor();
    assert.deepEqual(await filtersNow(), { attributes });
    // Mended for one person, and judged again.
    await row.getByText('Show 1').click();
    await row.getByText('status: UNKNOWN').waitFor();
    await row.getByRole('link', { name: silent.sid }).waitFor();
    await row.getByRole('button', { name: 'Record a consent' }).click();
    await row.getByLabel('In these words').fill('Write me too');
    assert.deepEqual(await violations(page), []);
    await row.getByRole('button', { name: 'Record it' }).click();
    await row.locator('[data-now=reached]').waitFor();
    const { status, evidence } = (await people.consents(silent.sid))[0];
    assert.deepEqual([status, evidence.wording], ['OPTED_IN', 'Write me too']);

    // Own words reach whoever wrote last: the others are left out by a segment of their own, or a template reaches them.
    const [{ sid: sender }] = (await stage.app.get(`${stage.app.at}/senders`)).body.data;
    await people.inbound(sender, agreed.sid);
    await page.getByLabel('What', { exact: true }).selectOption({ label: 'Own words' });
    await page.getByLabel('Text', { exact: true }).fill('Hello');
    await page.getByRole('button', { name: 'Ask for every member' }).click();
    const closed = page.getByRole('row', { name: 'SERVICE_WINDOW_CLOSED' });
    await closed.getByRole('button', { name: 'Make a segment without them' }).click();
    await page.getByRole('link', { name: 'Gold customers without SERVICE_WINDOW_CLOSED' }).waitFor();
    const [without] = (await stage.app.get(`${stage.app.at}/segments`)).body.data;
    assert.deepEqual([without.filters, without.contactSids], [{ attributes }, [agreed.sid]]);
    await page.getByRole('button', { name: 'Take it back' }).click();
    await page.getByText('Everybody else').waitFor({ state: 'detached' });
    await closed.getByRole('button', { name: 'Use a template instead' }).click();
    await page.getByText('2 would be reached.').waitFor();
    assert.deepEqual(troubles(), []);
    await leave();
  });
  test('are edited, cut again and deleted only by those who may change contacts, within a small window', async () => {
    const { body } = await stage.app.get(`${stage.app.at}/segments`);
    const [{ sid }] = body.data;
    const { email } = await withPassword(stage.app, { roles: ['VIEWER'] });
    const viewer = await signedIn(email);
    await viewer.page.goto(`${home('sandbox')}/segments/${sid}`);
    await viewer.page.locator('[data-size="2"]').waitFor();
    for (const act of ['Edit', 'Count again', 'Delete', 'Why would they not be reached?'])
      assert.equal(await viewer.page.getByText(act, { exact: true }).count(), 0, act);
    await viewer.leave();

    await peopleOf(stage.app).contact({ attributes: { plan: 'gold' } });
    const { page, troubles, leave } = await signedIn(undefined, { viewport: { width: 360, height: 740 } });
    await page.goto(`${home('sandbox')}/segments/${sid}`);
    await page.getByRole('button', { name: 'Count again' }).click();
    await page.locator('[data-size="3"]').waitFor();

    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    const attributes = page.getByLabel('Attributes');
    assert.equal(await attributes.inputValue(), 'plan=gold');
    assert.deepEqual(troubles(), []);
    await attributes.fill('plan={"near":"gold"}');
    await page.getByRole('button', { name: 'Save the segment' }).click();
    await page.getByText('plan.near is not one of').waitFor();
    assert.equal(await attributes.getAttribute('aria-invalid'), 'true');
    troubles(); // a refusal is written down by browsers
    // Somebody else was faster, and is not written over unseen.
    const theirs = {
      kind: 'DYNAMIC',
      name: 'Their customers',
      filters: { attributes: { visits: { gte: 3 } } },
    };
    assert.equal((await stage.app.patch(`${stage.app.at}/segments/${sid}`, theirs)).status, 200);
    await attributes.fill('plan=silver');
    await page.getByRole('button', { name: 'Save the segment' }).click();
    await page.getByText('Somebody else has changed it meanwhile').waitFor();
    const read = async () => (await stage.app.get(`${stage.app.at}/segments/${sid}`)).body;
    assert.deepEqual((await read()).filters, theirs.filters);
    await page.getByRole('button', { name: 'Begin again with theirs' }).click();
    assert.equal(await attributes.inputValue(), 'visits={"gte":3}');
    await page.getByLabel('Name', { exact: true }).fill('Our customers');
    await page.getByLabel('Time zones').fill('Europe/Paris');
    await page.getByRole('button', { name: 'Count them' }).click();
    await page.getByText('0 belong to it now.').waitFor();
    assert.equal(await isTooWide(page), false);
    await page.getByRole('button', { name: 'Save the segment' }).click();
    await page.getByRole('heading', { name: 'Our customers', level: 1 }).waitFor();
    await page.locator('[data-size="0"]').waitFor();
    assert.deepEqual((await read()).filters, { ...theirs.filters, timezoneIn: ['Europe/Paris'] });
    assert.equal(await isTooWide(page), false);
    assert.deepEqual(troubles(), []);
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Yes, delete it' }).click();
    await page.getByText('There is no segment yet.').waitFor();
    await leave();
  });
});

suite('merges', () => {
  test('are seen before they are done, done with a reason, and taken back to what was before', async () => {
    const people = peopleOf(stage.app);
    const keeper = await people.contact({ displayName: 'Keeper Kate' });
    const double = await people.contact({ displayName: 'Double Kate' });
    await people.consent(double.sid);
    const before = [await portrait(stage.app, keeper.sid), await portrait(stage.app, double.sid)];
    const number = double.identifiers[0].value;
    const { page, troubles, leave } = await signedIn();
    await page.goto(`${home('sandbox')}/contacts/${keeper.sid}`);
    await page.getByRole('link', { name: 'Merge another contact into them' }).click();
    await page.getByLabel('Name or number').fill('double kate');
    await page.getByRole('button', { name: 'Find' }).click();
    await page.getByRole('row', { name: 'Keeper Kate' }).waitFor({ state: 'detached' });
    await page.getByRole('row', { name: 'Double Kate' }).getByRole('link', { name: 'This one' }).click();
    await page.getByRole('insertion').filter({ hasText: number }).waitFor();
    await page.getByRole('insertion').filter({ hasText: 'Agreed' }).waitFor();
    assert.equal(await page.locator('[data-changed=true]').count(), 2, 'how to reach them, and the consent');
    assert.equal((await people.read(double.sid)).status, 'ACTIVE', 'nothing is done yet');

    await page.getByLabel('Reason').fill('The same person');
    await page.getByRole('button', { name: 'Merge them' }).click();
    await page.locator('dd [data-state=MERGED]').waitFor();
    assert.equal((await people.read(double.sid)).mergedInto, keeper.sid);
    await page.getByRole('button', { name: 'Take it back' }).click();
    await page.getByRole('button', { name: 'Yes, take it back' }).click();
    await page.locator('dd [data-state=REVERTED]').waitFor();
    assert.equal(await page.locator('[data-moved=identifiers]').count(), 2, 'moved, and moved back');
    assert.deepEqual([await portrait(stage.app, keeper.sid), await portrait(stage.app, double.sid)], before);

    await page.goto(`${home('sandbox')}/merges`);
    await page.getByRole('row', { name: 'The same person Taken back' }).waitFor();
    assert.deepEqual(troubles(), []);
    await leave();
  });
});

suite('identity conflicts', () => {
  test('are settled by somebody: the two are one, or they are two', async () => {
    const people = peopleOf(stage.app);
    const numbers = [phone(), phone(), phone()];
    const sids: string[] = [];
    for (const number of numbers) {
      sids.push((await people.contact({ identifiers: [number] })).sid);
      stage.app.clock.advance(1_000); // which of them is the older one
    }
    await people.contact({ identifiers: numbers });
    const { page, troubles, leave } = await signedIn();
    await page.goto(`${home('sandbox')}/merges`);
    const between = (other: number) => page.locator('[data-conflict]').filter({ hasText: sids[other] });
    await between(2).getByRole('button', { name: 'They are two' }).click();
    await between(2).getByRole('button', { name: 'Yes, they are two' }).click();
    await page.locator('[data-conflict=dismiss]').waitFor();
    assert.equal((await people.read(sids[2]!)).status, 'ACTIVE');
    // The other one after a look at what would come of it.
    await between(1).getByRole('link', { name: 'See what merging would do' }).click();
    await page.getByRole('insertion').first().waitFor();
    await page.goBack();
    await between(1).getByRole('button', { name: 'They are one' }).click();
    await between(1).getByRole('button', { name: 'Yes, merge into the older one' }).click();
    await page.locator('[data-conflict=merge]').getByRole('link', { name: 'One: merged' }).click();
    await page.locator('dd [data-state=MERGED]').waitFor();
    assert.equal((await people.read(sids[1]!)).mergedInto, sids[0]);
    assert.deepEqual(troubles(), []);
    await leave();
  });
});

suite('the proof of what somebody agreed to', () => {
  test('is made, proven by the browser itself and kept as a file, which holds until one byte of it is changed', async () => {
    const people = peopleOf(stage.app);
    const { sid } = await people.contact({ displayName: 'Certified Clara' });
    const wording = 'I want the newsletter';
    await people.consent(sid, { evidence: { wording } });
    await people.consent(sid, { status: 'OPTED_OUT' });
    const { page, troubles, leave } = await signedIn();
    await page.goto(`${home('sandbox')}/contacts/${sid}`);
    await page.getByRole('button', { name: 'Make a certificate' }).click();
    const proven = page.locator('[data-proof=holds]');
    await proven.waitFor();
    assert.equal(await proven.locator('[data-link]').count(), 2);
    await proven.getByText(wording).waitFor();
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download the certificate' }).click(),
    ]);
    const kept = await readFile(await file.path(), 'utf8');

    await page.goto(`${home('sandbox')}/proofs`);
    const given = (content: string) =>
      page
        .getByLabel('A file')
        .setInputFiles({ name: 'proof.json', mimeType: 'application/json', buffer: Buffer.from(content) });
    const verify = page.getByRole('button', { name: 'Verify', exact: true });
    await given(kept);
    await verify.click();
    await proven.waitFor();
    // Within the claims, where it would say something else.
    const { certificate } = JSON.parse(kept);
    const place = certificate.indexOf('.') + 100;
    const other = certificate[place] === 'A' ? 'B' : 'A';
    const changed = certificate.slice(0, place) + other + certificate.slice(place + 1);
    await page.getByLabel('Or its text').fill(changed);
    await proven.waitFor({ state: 'detached' });
    await verify.click();
    await page.locator('[data-proof=refused][data-fault=signature]').waitFor();
    assert.deepEqual(troubles(), []);
    await leave();
  });
});

suite('contacts in files', () => {
  // A file too large for a request, of as many rows as are wanted; 100000 when somebody asks for it.
  const rows = Number(process.env.IMPORT_ROWS ?? 8_000);
  const row = (at: number) => `+49151${String(at).padStart(8, '0')},${'W'.repeat(100)} ${at}`;
  const content = [
    'phone,displayName',
    ...Array.from({ length: rows }, (_, at) => row(at)),
    'nonsense,Nobody',
  ];

  test('are uploaded and imported while one looks elsewhere, found again under Operations, with the rows that were refused', async () => {
    const { context, page, troubles, leave } = await signedIn();
    await page.keyboard.press('g');
    await page.keyboard.press('i');
    await page.getByLabel('A file').setInputFiles({
      name: 'people.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(`${content.join('\n')}\n`),
    });
    await page.getByLabel('Only try it: say what would happen, and store nothing').uncheck();
    await page.getByRole('button', { name: 'Begin the import' }).click();
    await page.getByRole('heading', { name: /^Operation OP/ }).waitFor();
    await page.locator('dd progress').waitFor();
    const other = await context.newPage();
    await page.close();

    await other.goto(`${home('sandbox')}/operations`);
    await other.getByRole('row', { name: 'contacts.import' }).getByRole('link').click();
    await other.locator('dd [data-state=SUCCEEDED]').waitFor({ timeout: Math.max(120_000, 10 * rows) });
    assert.equal(await other.locator('dd progress').getAttribute('value'), String(rows + 1));
    assert.equal(await other.locator('[data-count=rows]').textContent(), (rows + 1).toLocaleString('en'));
    assert.equal(await other.locator('[data-count=created]').textContent(), rows.toLocaleString('en'));
    const [file] = await Promise.all([
      other.waitForEvent('download'),
      other.getByRole('button', { name: 'Download the rows that were refused' }).click(),
    ]);
    assert.match(await readFile(await file.path(), 'utf8'), /"nonsense","Nobody"/);
    assert.deepEqual(troubles(), []);
    await leave();
  });
  test('are exported by a search, and the file has those who fit', async () => {
    const { page, troubles, leave } = await signedIn();
    await page.goto(`${home('sandbox')}/contact-files`);
    await page.getByLabel('Name or number').fill('Kate');
    await page.getByRole('button', { name: 'Begin the export' }).click();
    await page.locator('dd [data-state=SUCCEEDED]').waitFor();
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download the file' }).click(),
    ]);
    const lines = (await readFile(await file.path(), 'utf8')).trim().split('\n');
    assert.equal(lines.length, 3, 'the header and both');
    assert.ok(lines.some((line) => line.includes('Keeper Kate')));
    assert.deepEqual(troubles(), []);
    await leave();
  });
});
