import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { sandboxPartner, sandboxToken } from '../src/index.ts';
import { hello, type Kit, portfolio, startKit, wabaId } from './harness.ts';

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

  test('is billed once a month is over, in the currency of the accounts, for what it paid and nothing else', async () => {
    kit.control.reset();
    const invoices = async (query = '') =>
      (await partner('GET', `${sandboxPartner.businessId}/business_invoices?${query}`)).body;
    const fields = 'fields=invoice_id,type,billing_period,currency,amount,billed_amount_details';
    assert.deepEqual(await invoices(), { data: [] });
    await attach(wabaId);
    await kit.send(hello);
    await kit.send(hello, '+4915112345678');
    await kit.control.settle();
    assert.deepEqual(await invoices(), { data: [] });
    const month = kit.control.now().toISOString().slice(0, 7);
    await kit.control.advance(31 * 86_400_000);
    const [{ id, ...invoice }, ...others] = (await invoices(fields)).data;
    assert.deepEqual(others, []);
    assert.match(id, /^\d+$/);
    assert.deepEqual(
      [invoice.type, invoice.billing_period, invoice.currency, invoice.amount],
      ['INV', `${month}-01`, 'USD', '0.09'], // France 0.03, Germany 0.055, to the cent
    );
    assert.deepEqual(invoice.billed_amount_details, {
      currency: 'USD',
      net_amount: '0.09',
      tax_amount: '0.00',
      total_amount: '0.09',
    });
    const within = (from: string, to: string) => invoices(`start_date=${from}&end_date=${to}`);
    assert.equal((await within(`${month}-01`, `${month}-02`)).data.length, 1);
    assert.deepEqual(await within('2020-01-01', `${month}-01`), { data: [] });
    assert.equal((await within('yesterday', `${month}-01`)).error.code, 100);
    assert.equal((await invoices('type=GIFT')).error.code, 100);
    // The business pays nothing itself, and sees nobody's bills.
    const own = await kit.call('GET', `/v25.0/${portfolio.businessId}/business_invoices`);
    assert.deepEqual(own.body, { data: [] });
    const strange = await kit.call('GET', `/v25.0/${sandboxPartner.businessId}/business_invoices`);
    assert.equal(strange.body.error.code, 100);
  });
});
