import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { sandboxPartner, sandboxToken } from '../src/index.ts';
import { type Kit, portfolio, startKit, wabaId } from './harness.ts';

const asPartner = { authorization: `Bearer ${sandboxPartner.accessToken}` };
const line = sandboxPartner.creditLineId;
const sibling = { ...portfolio, wabaId: '104000200030002', phoneNumbers: [] };

suite('the credit line of the partner', () => {
  let kit: Kit;
  const endings: (() => Promise<void>)[] = [];
  before(async () => {
    kit = await startKit({ after: (work) => void endings.push(work) });
    await kit.known();
    await kit.call('GET', `/v25.0/${sibling.wabaId}`, undefined, {
      authorization: `Bearer ${sandboxToken(sibling)}`,
    });
  });
  after(async () => {
    for (const end of endings.reverse()) await end();
  });
  const partner = (method: string, path: string) => kit.call(method, `/v25.0/${path}`, undefined, asPartner);
  const attach = (waba: string, currency = 'USD') =>
    partner('POST', `${line}/whatsapp_credit_sharing_and_attach?waba_currency=${currency}&waba_id=${waba}`);
  const funding = async (waba: string) => (await partner('GET', `${waba}?fields=primary_funding_id`)).body;

  test('is listed to the partner, and to nobody else', async () => {
    const path = `${sandboxPartner.businessId}/extendedcredits`;
    assert.deepEqual((await partner('GET', path)).body.data, [{ id: line }]);
    assert.deepEqual((await partner('GET', `${path}?fields=id,legal_entity_name`)).body.data, [
      { id: line, legal_entity_name: 'Sandbox Partner Ltd' },
    ]);
    assert.equal((await kit.call('GET', `/v25.0/${path}`)).body.error.code, 100);
    assert.deepEqual((await kit.call('GET', `/v25.0/${portfolio.businessId}/extendedcredits`)).body, {
      data: [],
    });
    const shared = await kit.call(
      'POST',
      `/v25.0/${line}/whatsapp_credit_sharing_and_attach?waba_currency=USD&waba_id=${wabaId}`,
    );
    assert.equal(shared.body.error.code, 100);
  });

  test('is refused in another currency, for a WABA nobody knows, and without one', async () => {
    for (const refused of [await attach(wabaId, 'CHF'), await attach('104999999999999')])
      assert.deepEqual([refused.status, refused.body.error.code], [400, 100]);
    const path = `${line}/whatsapp_credit_sharing_and_attach?waba_currency=USD`;
    assert.equal((await partner('POST', path)).body.error.code, 100);
    assert.deepEqual(kit.control.creditAllocations(), []);
  });

  test('is shared once with a business, pays for each WABA it is attached to, and is lost by all of them together', async () => {
    assert.deepEqual(await funding(wabaId), { id: wabaId });
    const { body } = await attach(wabaId);
    assert.deepEqual(Object.keys(body), ['allocation_config_id', 'waba_id']);
    const id = body.allocation_config_id;
    assert.equal((await attach(sibling.wabaId, 'EUR')).body.allocation_config_id, id);

    const path = `${line}/owning_credit_allocation_configs?receiving_business_id=${portfolio.businessId}`;
    const listed = await partner('GET', `${path}&fields=receiving_business,receiving_credential`);
    const [{ receiving_credential: credential, ...shown }] = listed.body.data;
    assert.deepEqual(shown, { id, receiving_business: { id: portfolio.businessId, name: 'Sandbox' } });
    for (const one of [wabaId, sibling.wabaId])
      assert.deepEqual(await funding(one), { id: one, primary_funding_id: credential.id });
    // The business itself is not shown who pays.
    assert.deepEqual((await kit.call('GET', `/v25.0/${wabaId}?fields=primary_funding_id`)).body, {
      id: wabaId,
    });
    assert.equal((await kit.call('DELETE', `/v25.0/${id}`)).body.error.code, 100);

    kit.control.configure({ creditDelayMs: 60_000 });
    assert.deepEqual((await partner('DELETE', id)).body, { success: true });
    const status = async () => (await partner('GET', `${id}?fields=request_status`)).body.request_status;
    assert.equal(await status(), 'APPROVED');
    await kit.control.advance(60_000);
    assert.equal(await status(), 'DELETED');
    assert.deepEqual((await partner('GET', path)).body, { data: [] });
    for (const one of [wabaId, sibling.wabaId]) assert.deepEqual(await funding(one), { id: one });
    assert.equal((await partner('DELETE', id)).body.error.code, 100);
    kit.control.configure({ creditDelayMs: 0 });
    assert.notEqual((await attach(wabaId)).body.allocation_config_id, id);
  });

  test('obeys rules: an answer that is lost has shared it all the same', async () => {
    kit.control.reset();
    const known = kit.control.creditAllocations().length;
    kit.control.addRule({
      match: { path: 'whatsapp_credit_sharing_and_attach' },
      behaviour: { answer: 'lost' },
      count: 1,
    });
    const other = {
      ...portfolio,
      businessId: '200000000000009',
      wabaId: '104000200030009',
      phoneNumbers: [],
    };
    await kit.call('GET', `/v25.0/${other.wabaId}`, undefined, {
      authorization: `Bearer ${sandboxToken(other)}`,
    });
    await assert.rejects(attach(other.wabaId));
    assert.equal(kit.control.creditAllocations().length, known + 1);
    kit.control.addRule({
      match: { path: 'extendedcredits' },
      behaviour: { refuse: { code: 200 } },
      count: 1,
    });
    const refused = await partner('GET', `${sandboxPartner.businessId}/extendedcredits`);
    assert.equal(refused.body.error.code, 200);
  });
});
