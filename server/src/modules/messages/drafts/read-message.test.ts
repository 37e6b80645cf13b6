import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { judgeBy } from '../../../platform/http/input/validation.ts';
import { systemPrincipal } from '../../../platform/principal.ts';
import { type ContentField, contentObjects, contentTypes, fieldOfType } from '../../provider/index.ts';
import { NewMessage } from '../schema.ts';
import { type Draft, readMessage } from './read-message.ts';

const now = new Date('2026-08-21T10:00:00.000Z');
const sid = (prefix: string) => `${prefix}01J9ZK3V7T8Q2M4N6P8R0S2T4V`;
const text = { to: '+33612345678', type: 'text', text: { body: 'Hello' } };
const judge = judgeBy(NewMessage);

const author = systemPrincipal('test', false);
const read = (body: object) => readMessage({ body: body as NewMessage, author }, now);
const paths = (body: object) => {
  const end = read(body);
  assert.ok(Array.isArray(end), 'it was not refused');
  return end.map(({ path }) => path);
};
const draft = (body: object) => {
  const end = read(body);
  assert.ok(!Array.isArray(end), JSON.stringify(end));
  return end;
};

/** A good object for each field of a content. */
const samples: { [K in ContentField]: object } = {
  text: { body: 'Hello' },
  template: { name: 'hello_world', language: 'en' },
  media: { sid: sid('ME') },
  location: { latitude: 1, longitude: 2 },
  contacts: { contacts: [{ formattedName: 'Ines' }] },
  reaction: { targetMessageId: 'wamid.x', emoji: '👍' },
  interactive: { subtype: 'location_request', body: 'Where?' },
  product: { catalogId: 'c', productRetailerId: 'p' },
  catalog: { catalogId: 'c', body: 'All of it' },
  flow: { flowSid: sid('FL'), body: 'Book', ctaText: 'Go' },
  productList: {
    catalogId: 'c',
    header: 'h',
    sections: [{ title: 't', productItems: [{ productRetailerId: 'p' }] }],
  },
  address: { body: 'Where to?', country: 'IN' },
  carousel: {
    body: 'Two',
    cards: [0, 1].map((cardIndex) => ({ cardIndex, catalogId: 'c', productRetailerId: 'p' })),
  },
};

suite('the content of a message', () => {
  for (const type of contentTypes) {
    const field = fieldOfType[type];
    test(`${type} is carried by ${field}, and by nothing else`, () => {
      const body = { to: '+33612345678', type, [field]: samples[field] };
      assert.deepEqual(judge(body), []);
      assert.deepEqual(draft(body).content, { type, [field]: samples[field] });
      assert.deepEqual(paths({ to: '+33612345678', type }), [field]);
      for (const other of Object.keys(contentObjects) as ContentField[]) {
        if (other === field) continue;
        assert.deepEqual(paths({ ...body, [other]: samples[other] }), [other]);
      }
    });
  }

  test('is named by a type or by a stored content, not both and not neither', () => {
    assert.deepEqual(paths({ to: '+33612345678' }), ['type']);
    assert.deepEqual(paths({ ...text, contentSid: sid('HX') }), ['type', 'contentSid']);
    assert.deepEqual(paths({ to: '+33612345678', contentSid: sid('HX'), text: { body: 'x' } }), ['text']);
    assert.deepEqual(paths({ ...text, variables: { a: 'b' } }), ['variables']);
    const stored = draft({ to: '+33612345678', contentSid: sid('HX'), variables: { a: 'b' } });
    assert.deepEqual(stored.content, { contentSid: sid('HX'), variables: { a: 'b' } });
  });
});

suite('the recipient of a message', () => {
  const { to: _, ...unaddressed } = text;
  const addresses = {
    to: '+33612345678',
    recipient: { identifierType: 'username', value: 'ines.m' },
    contactSid: sid('CT'),
    conversationSid: sid('CO'),
  };

  test('is given in exactly one way', () => {
    assert.deepEqual(paths(unaddressed), ['to']);
    for (const [field, value] of Object.entries(addresses)) {
      assert.ok('content' in draft({ ...unaddressed, [field]: value }));
      for (const [other, second] of Object.entries(addresses)) {
        if (other === field) continue;
        const both = { ...unaddressed, [field]: value, [other]: second };
        assert.deepEqual(paths(both).sort(), [field, other].sort());
      }
    }
  });

  const numbers: [given: object, number: string | null][] = [
    [{ to: 'whatsapp:+33 6 12 34 56 78' }, '+33612345678'],
    [{ to: '0033612345678' }, '+33612345678'],
    [{ to: '00 33 6 12 34 56 78' }, '+33612345678'],
    [{ to: '06 12 34 56 78', defaultCountry: 'fr' }, '+33612345678'],
    [
      { recipient: { identifierType: 'phone_e164', value: '(06) 12-34-56-78' }, defaultCountry: 'FR' },
      '+33612345678',
    ],
    [{ to: '0612345678' }, null],
    [{ to: '+3361234567890123' }, null],
    [{ to: 'whatsapp:' }, null],
    [{ to: '' }, null],
    [{ to: "+33612345678'; drop table messages; --" }, null],
  ];
  for (const [given, number] of numbers) {
    test(`${JSON.stringify(given)} is ${number ?? 'refused at its path'}`, () => {
      const body = { ...unaddressed, ...given };
      if (number === null) assert.deepEqual(paths(body), ['to']);
      else {
        const { to } = draft(body);
        assert.deepEqual(to, { identifier: { identifierType: 'phone_e164', value: number, country: 'FR' } });
      }
    });
  }

  test('needs a country that exists, and only for a phone number', () => {
    assert.deepEqual(paths({ ...text, defaultCountry: 'ZZ' }), ['defaultCountry']);
    assert.deepEqual(paths({ ...unaddressed, contactSid: sid('CT'), defaultCountry: 'FR' }), [
      'defaultCountry',
    ]);
  });
});

suite('fields that need or exclude others', () => {
  const refused: [more: object, paths: string[]][] = [
    [{ from: sid('WA'), senderPoolSid: sid('SP') }, ['senderPoolSid']],
    [{ composerClaimToken: crypto.randomUUID() }, ['composerClaimToken']],
    [{ composerOverrideReason: 'on fire' }, ['composerOverrideReason']],
    [{ transportOptions: { ttlSeconds: 43_200 } }, ['transportOptions']],
    [{ transport: 'marketing_messages' }, ['transport']],
    [{ statusCallbackUrl: 'https://a.example/x', statusCallbackSid: sid('WH') }, ['statusCallbackSid']],
    [{ context: {} }, ['context.replyToMessageId']],
    [
      { context: { replyToMessageId: sid('SM'), providerMessageId: 'wamid.x' } },
      ['context.replyToMessageId'],
    ],
    [{ sendAt: '2026-08-21T09:59:59.999Z' }, ['sendAt']],
    [{ sendAt: '2026-09-25T10:00:00.001Z' }, ['sendAt']],
  ];
  for (const [more, expected] of refused) {
    test(`${JSON.stringify(more)} is refused at ${expected}`, () => {
      assert.deepEqual(paths({ ...text, ...more }), expected);
    });
  }

  test('the last allowed moment is 35 days ahead', () => {
    const sendAt = '2026-09-25T10:00:00.000Z';
    assert.equal(draft({ ...text, sendAt }).sendAt?.toISOString(), sendAt);
  });

  test('every violation is told at once', () => {
    const body = {
      from: sid('WA'),
      senderPoolSid: sid('SP'),
      type: 'text',
      variables: {},
      sendAt: '2020-01-01T00:00:00Z',
    };
    assert.deepEqual(paths(body).sort(), ['sendAt', 'senderPoolSid', 'text', 'to', 'variables']);
  });
});

test('any body that passes the schema is read or refused at a path, and never throws', () => {
  const some = <T>(value: T) => fc.option(fc.constant(value), { nil: undefined });
  const bodies = fc.record({
    to: some('+33612345678'),
    contactSid: some(sid('CT')),
    conversationSid: some(sid('CO')),
    from: some(sid('WA')),
    senderPoolSid: some(sid('SP')),
    type: fc.option(fc.constantFrom(...contentTypes), { nil: undefined }),
    contentSid: some(sid('HX')),
    variables: some({ a: 'b' }),
    transport: fc.option(fc.constantFrom('cloud_api', 'marketing_messages'), { nil: undefined }),
    sendAt: fc.option(
      fc
        .date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true })
        .map((date) => date.toISOString()),
      { nil: undefined },
    ),
    ...Object.fromEntries(Object.entries(samples).map(([field, value]) => [field, some(value)])),
  });
  fc.assert(
    fc.property(bodies, (given) => {
      const body = JSON.parse(JSON.stringify(given));
      const end = read(body);
      if (Array.isArray(end)) {
        assert.ok(end.length > 0);
        for (const { path, issue } of end) assert.ok(path.length > 0 && issue.length > 0);
      } else {
        assert.equal(Object.keys(samples).filter((field) => body[field]).length, body.contentSid ? 0 : 1);
        assert.ok((end as Draft).to);
      }
    }),
    { numRuns: 500 },
  );
});
