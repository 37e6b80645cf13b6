import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { before, suite, test } from 'node:test';
import { type Reply, startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import { write } from '../../../../test/harness/jobs.ts';
import { sharedLifetime } from '../../../../test/harness/lifetime.ts';
import { type OnboardingOf, onboardingOf, openForLive } from '../../../../test/harness/onboarding.ts';
import { ApiError } from '../../../platform/errors/errors.ts';
import { newSid } from '../../../platform/ids.ts';
import { insertReadyMedia } from '../../media/fixtures.ts';
import { type ApplicationState, applicationStates } from '../states.ts';
import { lockApplication, moveApplication } from './applications.ts';

let app: TestApp;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime, { simulator: true, env: openForLive });
});

const inNewAccount = async () => onboardingOf(app, await app.newAccount());
const outcome = ({ status, body }: Reply) => [status, body?.error?.code];
const pathsOf = ({ body }: Reply) =>
  (body.error.details ?? []).map(({ path }: { path: string }) => path).sort();

/** The recipe of the documentation, once more and without the service's own code. */
function fingerprintByHand(environment: string, quote: Reply['body']): string {
  const parts = {
    accountSid: quote.accountSid,
    applicationSid: quote.applicationSid,
    currency: quote.currency,
    environment,
    lines: quote.lines.map((line: Record<string, unknown>) => ({
      amountMinor: line.amountMinor,
      kind: line.kind,
      recurrence: line.recurrence,
      scale: line.scale,
    })),
    numberSource: quote.numberSource,
    termsHash: createHash('sha256').update(quote.terms.text).digest('hex'),
    termsVersion: quote.terms.version,
  };
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

suite('a quote', () => {
  test('has the fingerprint that the documented recipe gives, and no time in it', async () => {
    const onboarding = await inNewAccount();
    const first = await onboarding.quote('PORT');
    assert.equal(first.status, 200, first.text);
    assert.equal(first.body.fingerprint, fingerprintByHand('sandbox', first.body));
    app.clock.advance(86_400_000);
    assert.equal((await onboarding.quote('PORT')).body.fingerprint, first.body.fingerprint);
    const other = await inNewAccount();
    assert.notEqual((await other.quote('PORT')).body.fingerprint, first.body.fingerprint);
    assert.notEqual((await onboarding.quote('PURCHASE')).body.fingerprint, first.body.fingerprint);
  });

  test('adds up, and asks for porting or a number, never both', async () => {
    const { body: ported } = await (await inNewAccount()).quote('PORT');
    const { body: bought } = await (await inNewAccount()).quote('PURCHASE');
    const kinds = (quote: Reply['body']) => quote.lines.map(({ kind }: { kind: string }) => kind);
    assert.deepEqual(kinds(ported), ['SETUP', 'PORTING', 'NUMBER_RENT']);
    assert.deepEqual(kinds(bought), ['SETUP', 'NUMBER', 'NUMBER_RENT']);
    assert.equal(ported.dueOnApproval.amountMinor, '43500000');
    assert.equal(bought.dueOnApproval.amountMinor, '33500000');
  });

  test('of an application is what it accepted, in the words that were accepted, until another is offered', async () => {
    const onboarding = await inNewAccount();
    const sid = await onboarding.applied({ displayName: 'requote' });
    const accepted = (await onboarding.quote('PURCHASE', sid)).body;
    assert.deepEqual([accepted.accepted, accepted.applicationSid], [true, null]);
    await onboarding.robot(sid);
    const { body: offered } = await onboarding.quote('PURCHASE', sid);
    assert.deepEqual([offered.accepted, offered.applicationSid], [false, sid]);
    assert.equal(offered.fingerprint, fingerprintByHand('sandbox', offered));
    // By the application it knows the country, where numbers cost more.
    assert.equal(offered.dueOnApproval.amountMinor, '38000000');
    const wrong = await onboarding.quote('PORT', sid);
    assert.deepEqual([...outcome(wrong), ...pathsOf(wrong)], [400, 'VALIDATION_ERROR', 'numberSource']);
    const strange = await (await inNewAccount()).quote('PURCHASE', sid);
    assert.deepEqual(outcome(strange), [404, 'NOT_FOUND']);
    const done = await app.post(
      `${onboarding.at}/${sid}/accept-quote`,
      onboarding.acceptanceOf({ body: offered } as Reply),
      onboarding.headers,
    );
    assert.equal(done.status, 200, done.text);
    assert.equal((await onboarding.quote('PURCHASE', sid)).body.fingerprint, offered.fingerprint);
    const kept = await app.sql<{ quote: string; fingerprint: string }>(
      'select quote, fingerprint from managed_acceptances where application_sid = $1',
      [sid],
    );
    assert.equal(kept.length, 2);
    for (const { quote, fingerprint } of kept)
      assert.equal(createHash('sha256').update(quote).digest('hex'), fingerprint);
    await assert.rejects(
      app.sql(`update managed_acceptances set quote = '' where application_sid = $1`, [sid]),
      /append-only|insufficient|cannot/i,
    );
  });
});

suite('what is wrong with an application', () => {
  const cases: [string, object, string[]][] = [
    ['porting without a number', { numberSource: 'PORT' }, ['requestedNumber']],
    [
      'porting a number of another country',
      { numberSource: 'PORT', requestedNumber: '+4930123456' },
      ['requestedNumber'],
    ],
    ['a wish for a number of another country', { requestedNumber: '+4930123456' }, ['requestedNumber']],
    ['a number that cannot exist', { requestedNumber: '+33123456789012' }, ['requestedNumber']],
    ['a country without telephones', { country: 'ZZ' }, ['country']],
    ['a quote that is not accepted', { acceptQuote: false }, ['acceptQuote']],
    ['an address that is none', { website: 'depot' }, ['website']],
    ['a script for an address', { website: 'javascript:alert(1)' }, ['website']],
    ['an e-mail address that is none', { representativeEmail: 'ines' }, ['representativeEmail']],
    [
      'blank words',
      { legalName: ' ', instruction: '\n', displayName: '' },
      ['displayName', 'instruction', 'legalName'],
    ],
    [
      'words that are too long',
      { legalName: 'x'.repeat(201), taxId: 'x'.repeat(121) },
      ['legalName', 'taxId'],
    ],
    ['null', { country: null, website: null }, ['country', 'website']],
    ['fields nobody knows', { stepUpToken: 'x' }, ['stepUpToken']],
    ['a fingerprint that is none', { acceptedQuoteFingerprint: 'ABC' }, ['acceptedQuoteFingerprint']],
  ];
  test('is told at its path, all of it at once, and nothing is stored', async () => {
    const onboarding = await inNewAccount();
    for (const [what, more, paths] of cases) {
      const reply = await onboarding.apply(more);
      assert.deepEqual(outcome(reply), [400, 'VALIDATION_ERROR'], `${what}: ${reply.text}`);
      assert.deepEqual(pathsOf(reply), paths, what);
    }
    const several = await onboarding.apply({ country: 'ZZ', website: 'depot', acceptQuote: false, taxId: 7 });
    assert.deepEqual(pathsOf(several), ['acceptQuote', 'country', 'taxId', 'website']);
    assert.equal(await app.count(`managed_applications where account_sid = '${onboarding.accountSid}'`), 0);
  });

  test('is a conflict where the offer or the terms are not those of now', async () => {
    const onboarding = await inNewAccount();
    const stale = await onboarding.apply({ acceptedQuoteFingerprint: 'a'.repeat(64) });
    assert.deepEqual(outcome(stale), [409, 'CONFLICT']);
    assert.deepEqual(pathsOf(stale), ['acceptedQuoteFingerprint']);
    const terms = await onboarding.apply({ acceptedTermsVersion: 'of yesterday' });
    assert.deepEqual(outcome(terms), [409, 'CONFLICT']);
    assert.deepEqual(pathsOf(terms), ['acceptedTermsVersion']);
    // The quote of one number source is not that of the other.
    const { body } = await onboarding.quote('PORT');
    const crossed = await onboarding.apply({ acceptedQuoteFingerprint: body.fingerprint });
    assert.deepEqual(outcome(crossed), [409, 'CONFLICT']);
  });
});

suite('a second application', () => {
  test('is refused with the name of the first, also when both come at once, and taken when the first has ended', async () => {
    const onboarding = await inNewAccount();
    const replies = await Promise.all([onboarding.apply(), onboarding.apply(), onboarding.apply()]);
    const made = replies.filter(({ status }) => status === 201);
    assert.equal(made.length, 1);
    const { sid } = made[0]!.body;
    for (const reply of replies.filter(({ status }) => status !== 201)) {
      assert.deepEqual(outcome(reply), [409, 'CONFLICT']);
      assert.ok(reply.body.error.message.includes(sid), reply.text);
    }
    assert.equal((await app.get(onboarding.at, onboarding.headers)).body.open, sid);
    const gone = await app.delete(`${onboarding.at}/${sid}`, undefined, onboarding.headers);
    assert.equal(gone.status, 204);
    assert.equal((await app.delete(`${onboarding.at}/${sid}`, undefined, onboarding.headers)).status, 204);
    assert.equal((await app.get(onboarding.at, onboarding.headers)).body.open, null);
    assert.equal((await onboarding.apply()).status, 201);
  });
});

// What may follow what, as it was decided: written out once more, so that a changed table is noticed.
const allowed: Record<ApplicationState, ApplicationState[]> = {
  SUBMITTED: ['IN_REVIEW', 'WITHDRAWN'],
  IN_REVIEW: ['INFORMATION_REQUESTED', 'QUOTE_CHANGED', 'APPROVED', 'REJECTED', 'WITHDRAWN'],
  INFORMATION_REQUESTED: ['IN_REVIEW', 'REJECTED', 'WITHDRAWN'],
  QUOTE_CHANGED: ['IN_REVIEW', 'QUOTE_CHANGED', 'REJECTED', 'WITHDRAWN'],
  APPROVED: ['PROVISIONING', 'FAILED'],
  PROVISIONING: ['PORTING', 'COMPLETED', 'FAILED'],
  PORTING: ['PROVISIONING', 'FAILED'],
  COMPLETED: [],
  REJECTED: [],
  FAILED: ['APPROVED', 'REJECTED'],
  WITHDRAWN: [],
};

/** Puts an application where a test wants it, with what belongs to that state. */
async function put(sid: string, state: ApplicationState): Promise<void> {
  const fee = ['APPROVED', 'PROVISIONING', 'PORTING'].includes(state) ? 'HELD' : 'NONE';
  await app.sql(
    `update managed_applications set state = $2, fee_state = $3, information_request = 'x',
       offer = case when $2 = 'QUOTE_CHANGED' then json_build_object('content', accepted, 'termsText', 'x') end
     where sid = $1`,
    [sid, state, fee],
  );
}

suite('every pair of states', () => {
  test('is allowed or a conflict, as the table says', async () => {
    const onboarding = await inNewAccount();
    const { accountSid } = onboarding;
    const sid = await onboarding.applied({ displayName: 'robot_waits' });
    class Undone extends Error {}
    for (const from of applicationStates) {
      await put(sid, from);
      for (const to of applicationStates) {
        const attempt = write({ app, accountSid }, async (t) => {
          const row = await lockApplication(t, sid);
          const feeState = ['APPROVED', 'PROVISIONING', 'PORTING'].includes(to) ? 'HELD' : 'RELEASED';
          const offer = to === 'QUOTE_CHANGED' ? { content: row.accepted, termsText: '' } : null;
          await moveApplication(t, row, to, { feeState, offer });
          throw new Undone();
        }).catch((error) => error);
        const error = await attempt;
        const may = allowed[from].includes(to);
        if (may) assert.ok(error instanceof Undone, `${from} → ${to}: ${error}`);
        else assert.ok(error instanceof ApiError && error.code === 'CONFLICT', `${from} → ${to}: ${error}`);
      }
    }
  });

  test('of what a customer may do is one too: nothing is taken where it does not belong', async () => {
    const onboarding = await inNewAccount();
    const sid = await onboarding.applied({ displayName: 'robot_waits' });
    const { at, headers } = onboarding;
    const acceptance = { ...onboarding.acceptanceOf(await onboarding.quote()), acceptedTermsVersion: 'x' };
    const acts: [string, () => Promise<Reply>, ApplicationState[]][] = [
      [
        'information',
        () => app.patch(`${at}/${sid}`, { information: 'Here.' }, headers),
        ['INFORMATION_REQUESTED'],
      ],
      // Stale on purpose: it is refused at its path where it belongs, and as a whole where it does not.
      ['accept', () => app.post(`${at}/${sid}/accept-quote`, acceptance, headers), []],
      [
        'hand-over',
        () => app.patch(`${at}/${sid}/handover-phone`, { handoverPhoneNumber: '+33612003400' }, headers),
        applicationStates.filter((one) => !['COMPLETED', 'REJECTED', 'FAILED', 'WITHDRAWN'].includes(one)),
      ],
      [
        'withdraw',
        () => app.delete(`${at}/${sid}`, undefined, headers),
        ['SUBMITTED', 'IN_REVIEW', 'INFORMATION_REQUESTED', 'QUOTE_CHANGED', 'WITHDRAWN'],
      ],
    ];
    for (const state of applicationStates)
      for (const [what, act, where] of acts) {
        await put(sid, state);
        const reply = await act();
        if (where.includes(state)) assert.ok(reply.status < 300, `${what} when ${state}: ${reply.text}`);
        else assert.deepEqual(outcome(reply), [409, 'CONFLICT'], `${what} when ${state}`);
      }
  });
});

suite('what a business says of itself', () => {
  const secrets = {
    legalName: 'Secretive SA',
    representativeName: 'Ines Hidden',
    representativeEmail: 'hidden@depot.example',
    registeredAddress: '1 quai Cache',
    registrationNumber: 'REG-552100554',
    taxId: 'FR40303265045',
    instruction: 'Quietly set us up.',
  };
  const words = [...Object.values(secrets), '+33612003499', 'The cellar holds it.'];

  async function told(): Promise<{ onboarding: OnboardingOf; sid: string }> {
    const onboarding = await inNewAccount();
    const sid = await onboarding.applied({ ...secrets, displayName: 'needs_information' });
    await onboarding.robot(sid);
    const { at, headers } = onboarding;
    await app.patch(`${at}/${sid}/handover-phone`, { handoverPhoneNumber: '+33612003499' }, headers);
    const informed = await app.patch(`${at}/${sid}`, { information: 'The cellar holds it.' }, headers);
    assert.equal(informed.status, 200, informed.text);
    return { onboarding, sid };
  }

  test('is shown to the account, and stands nowhere in the database to be read: no event, no audit entry, no stored answer', async () => {
    const { onboarding, sid } = await told();
    const { details, detailsState } = await onboarding.get(sid);
    assert.equal(detailsState, 'OPEN');
    assert.deepEqual(details, {
      ...secrets,
      handoverPhoneNumber: '+33612003499',
      information: [{ text: 'The cellar holds it.', givenAt: app.clock.now().toISOString() }],
    });
    const tables = await app.sql<{ name: string }>(
      `select quote_ident(table_schema) || '.' || quote_ident(table_name) as name from information_schema.tables
        where table_schema not in ('pg_catalog', 'information_schema') and table_type = 'BASE TABLE'`,
    );
    for (const { name } of tables) {
      const found = await app.sql<{ text: string }>(
        `select left(t::text, 300) as text from ${name} t where t::text like any ($1)`,
        [words.map((word) => `%${word}%`)],
      );
      assert.deepEqual(found, [], name);
    }
    const [entry] = await app.sql<{ payload: string }>(
      `select payload from audit_entries where account_sid = $1 and action = 'managed_application.submitted'`,
      [onboarding.accountSid],
    );
    const { instructionSha256 } = JSON.parse(entry!.payload).facts;
    assert.equal(instructionSha256, createHash('sha256').update(secrets.instruction).digest('hex'));
  });

  test('that cannot be opened is said to be so, and nothing fails', async () => {
    const { onboarding, sid } = await told();
    await app.sql(`update managed_applications set details = '\\x00'::bytea where sid = $1`, [sid]);
    const shown = await onboarding.get(sid);
    assert.deepEqual([shown.detailsState, shown.details], ['UNREADABLE', null]);
    const body = { handoverPhoneNumber: '+33612003400' };
    const changed = await app.patch(`${onboarding.at}/${sid}/handover-phone`, body, onboarding.headers);
    assert.deepEqual(outcome(changed), [409, 'CONFLICT']);
    // Moved to another application, or another account, it opens as little.
    const other = await told();
    await app.sql(
      `update managed_applications set details = (select details from managed_applications where sid = $2) where sid = $1`,
      [sid, other.sid],
    );
    assert.equal((await onboarding.get(sid)).detailsState, 'UNREADABLE');
  });
});

suite('information', () => {
  test('is taken when it was asked for, and the files it names are checked, linked and kept until the end', async () => {
    const onboarding = await inNewAccount();
    const { at, headers, accountSid } = onboarding;
    const sid = await onboarding.applied({ displayName: 'needs_information' });
    const early = await app.patch(`${at}/${sid}`, { information: 'Here.' }, headers);
    assert.deepEqual(outcome(early), [409, 'CONFLICT']);
    await onboarding.robot(sid);
    const asked = await onboarding.get(sid);
    assert.deepEqual([asked.state, typeof asked.informationRequest], ['INFORMATION_REQUESTED', 'string']);
    const nowhere = newSid('ME', app.clock.now());
    const unknown = await app.patch(`${at}/${sid}`, { information: `See ${nowhere}.` }, headers);
    assert.deepEqual([...outcome(unknown), ...pathsOf(unknown)], [400, 'VALIDATION_ERROR', 'information']);
    const media = await insertReadyMedia(app, { accountSid });
    await app.sql(`update media set status = 'SCANNING' where sid = $1`, [media]);
    const unready = await app.patch(`${at}/${sid}`, { information: `See ${media}.` }, headers);
    assert.deepEqual(outcome(unready), [400, 'VALIDATION_ERROR']);
    await app.sql(`update media set status = 'READY' where sid = $1`, [media]);
    const given = await app.patch(`${at}/${sid}`, { information: `See ${media} and ${media}.` }, headers);
    assert.equal(given.status, 200, given.text);
    assert.deepEqual([given.body.state, given.body.documentSids], ['IN_REVIEW', [media]]);
    const kept = await app.delete(`/v1/accounts/${accountSid}/media/${media}`, undefined, headers);
    assert.deepEqual(outcome(kept), [409, 'CONFLICT']);
    assert.equal((await app.delete(`${at}/${sid}`, undefined, headers)).status, 204);
    const freed = await app.delete(`/v1/accounts/${accountSid}/media/${media}`, undefined, headers);
    assert.equal(freed.status, 204, freed.text);
  });
});

suite('the hand-over phone', () => {
  test('is another number than the one that is set up, and one that can exist', async () => {
    const onboarding = await inNewAccount();
    const port = { numberSource: 'PORT', requestedNumber: '+33980000001', displayName: 'robot_waits' };
    const sid = await onboarding.applied(port);
    const set = (handoverPhoneNumber: unknown) =>
      app.patch(`${onboarding.at}/${sid}/handover-phone`, { handoverPhoneNumber }, onboarding.headers);
    for (const wrong of ['+33980000001', '+33123456789012', '0612003400', '', null, 33, '+0123456789']) {
      const reply = await set(wrong);
      assert.deepEqual(
        [...outcome(reply), ...pathsOf(reply)],
        [400, 'VALIDATION_ERROR', 'handoverPhoneNumber'],
      );
    }
    assert.equal((await set('+33612003400')).status, 200);
    assert.equal((await onboarding.get(sid)).details.handoverPhoneNumber, '+33612003400');
  });
});

suite('applications of others', () => {
  test('are not there: not of another account, not of the other environment', async () => {
    const onboarding = await inNewAccount();
    const sid = await onboarding.applied({ displayName: 'robot_waits' });
    const { key: liveKey } = await app.key(['accounts:read', 'accounts:write'], {
      livemode: true,
      accountSid: onboarding.accountSid,
    });
    const elsewhere = [
      await inNewAccount(),
      onboardingOf(app, { accountSid: onboarding.accountSid, sandboxKey: liveKey }, { livemode: true }),
    ];
    const acceptance = {
      acceptQuote: true,
      acceptedQuoteFingerprint: 'a'.repeat(64),
      acceptedTermsVersion: 'x',
    };
    for (const { at, headers } of elsewhere) {
      const replies = [
        await app.get(`${at}?applicationSid=${sid}`, headers),
        await app.patch(`${at}/${sid}`, { information: 'x' }, headers),
        await app.delete(`${at}/${sid}`, undefined, headers),
        await app.post(`${at}/${sid}/accept-quote`, acceptance, headers),
        await app.patch(`${at}/${sid}/handover-phone`, { handoverPhoneNumber: '+33612003400' }, headers),
      ];
      for (const reply of replies) assert.deepEqual(outcome(reply), [404, 'NOT_FOUND']);
      assert.deepEqual((await app.get(at, headers)).body.applications, []);
    }
  });

  test('live can be asked for where the operator has opened it, and has prices of its own', async () => {
    const account = await app.newAccount();
    const { key } = await app.key(['accounts:read', 'accounts:write'], {
      livemode: true,
      accountSid: account.accountSid,
    });
    const live = onboardingOf(app, account, { livemode: true, key });
    const { body } = await live.quote();
    assert.equal(body.fingerprint, fingerprintByHand('live', body));
    assert.deepEqual([body.dueOnApproval.amountMinor, body.terms.version], ['55000000', 'v1']);
    const made = await live.apply();
    assert.equal(made.status, 201, made.text);
    assert.deepEqual([made.body.livemode, made.body.state], [true, 'SUBMITTED']);
  });
});
