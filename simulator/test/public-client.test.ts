// A public client nobody here wrote takes the simulator for the provider: it sends each type, uploads media, manages
// templates, and verifies and reads the callbacks.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { GraphApiError, WhatsAppClient } from '@kapso/whatsapp-cloud-api';
import { normalizeWebhook, verifySignature } from '@kapso/whatsapp-cloud-api/server';
import { appSecret, customer, type Kit, numberId, startKit, token, wabaId } from './harness.ts';
import { tinyPng } from './tiny-files.ts';

const clientOf = (kit: Kit) => new WhatsAppClient({ accessToken: token, baseUrl: kit.simulator.url });
const to = `+${customer}`;
const at = { phoneNumberId: numberId, to };
const link = 'https://img.example/a.jpg';

suite('the public client', () => {
  test('sends each type, and every one is read', async (context) => {
    const kit = await startKit(context);
    await kit.openWindow();
    const { messages } = clientOf(kit);
    const answers = [
      await messages.sendText({ ...at, body: 'Hello', previewUrl: true }),
      await messages.sendImage({ ...at, image: { link, caption: 'Front' } }),
      await messages.sendVideo({ ...at, video: { link } }),
      await messages.sendAudio({ ...at, audio: { link } }),
      await messages.sendDocument({ ...at, document: { link, filename: 'a.pdf' } }),
      await messages.sendSticker({ ...at, sticker: { link } }),
      await messages.sendLocation({
        ...at,
        location: { latitude: 45.7, longitude: 4.8, name: 'Depot', address: 'Lyon' },
      }),
      await messages.sendContacts({
        ...at,
        contacts: [{ name: { formattedName: 'Ines Moreau' }, phones: [{ phone: '+33612003499' }] }],
      }),
      await messages.sendInteractiveButtons({
        ...at,
        bodyText: 'When?',
        footerText: 'Depot',
        buttons: [{ id: 'am', title: 'Morning' }],
      }),
      await messages.sendInteractiveList({
        ...at,
        bodyText: 'Choose',
        buttonText: 'Slots',
        sections: [{ title: 'Monday', rows: [{ id: 'm9', title: '09:00' }] }],
      }),
      await messages.sendInteractiveCtaUrl({
        ...at,
        bodyText: 'See',
        parameters: { displayText: 'Open', url: 'https://x.example' },
      }),
      await messages.sendRaw({
        phoneNumberId: numberId,
        payload: {
          messaging_product: 'whatsapp',
          to,
          type: 'interactive',
          interactive: {
            type: 'location_request_message',
            body: { text: 'Where?' },
            action: { name: 'send_location' },
          },
        },
      }),
      await messages.sendInteractiveCatalogMessage({
        ...at,
        bodyText: 'All',
        parameters: { thumbnailProductRetailerId: 'sku-1' },
      }),
      await messages.sendTemplate({ ...at, template: { name: 'hello_world', language: { code: 'en_US' } } }),
    ];
    for (const answer of answers) assert.match(answer.messages[0]!.id, /^wamid\./);
    const read = (await kit.statuses()).filter(({ status }) => status === 'read').map(({ id }) => id);
    assert.deepEqual(
      read,
      answers.map((answer) => answer.messages[0]!.id),
    );
    const reaction = await messages.sendReaction({
      ...at,
      reaction: { messageId: answers[0]!.messages[0]!.id, emoji: '👍' },
    });
    assert.match(reaction.messages[0]!.id, /^wamid\./);
    assert.equal((await messages.markRead({ phoneNumberId: numberId, messageId: 'wamid.IN' })).success, true);
  });

  test('sends a carousel with quick replies, and reads which one was pressed', async (context) => {
    const kit = await startKit(context);
    await kit.openWindow();
    const card = (cardIndex: number, id: string) => ({
      cardIndex,
      header: { type: 'image' as const, image: { link } },
      bodyText: 'Offer',
      action: { buttons: [{ id, title: 'Take it' }] },
    });
    const cards = [card(0, 'blue'), card(1, 'green')];
    const sent = await clientOf(kit).messages.sendInteractiveCarousel({ ...at, bodyText: 'Two pots', cards });
    await kit.control.settle();
    await kit.control.inbound({
      from: customer,
      to: numberId,
      type: 'interactive',
      content: { type: 'button_reply', button_reply: { id: 'green', title: 'Take it' } },
    });
    await kit.control.settle();
    const { messages } = normalizeWebhook(kit.receiver.received.at(-1)!.body);
    assert.equal(messages[0]!.context?.id, sent.messages[0]!.id);
  });

  test('uploads media, sends it, reads it back and deletes it', async (context) => {
    const kit = await startKit(context);
    await kit.openWindow();
    const { media, messages } = clientOf(kit);
    const file = new Blob([tinyPng], { type: 'image/png' });
    const { id } = await media.upload({
      phoneNumberId: numberId,
      type: 'image',
      file,
      fileName: 'photo.png',
    });
    await messages.sendImage({ ...at, image: { id } });
    assert.deepEqual(
      (await kit.statuses()).map(({ status }) => status),
      ['sent', 'delivered', 'read'],
    );
    const facts = await media.get({ mediaId: id });
    assert.deepEqual([facts.mimeType, Number(facts.fileSize)], ['image/png', tinyPng.length]);
    const bytes = await media.download({ mediaId: id, auth: 'always' });
    assert.deepEqual(Buffer.from(bytes as ArrayBuffer), tinyPng);
    await media.delete({ mediaId: id });
    await assert.rejects(media.get({ mediaId: id }), (error: GraphApiError) => error.code === 100);
  });

  test('lists, creates and deletes templates', async (context) => {
    const kit = await startKit(context);
    const { templates } = clientOf(kit);
    const before = await templates.list({ businessAccountId: wabaId, limit: 100 });
    assert.deepEqual(
      new Set(before.data.map(({ name }) => name)),
      new Set(['hello_world', 'order_update', 'appointment_reminder', 'spring_offer', 'login_code']),
    );
    const made = await templates.create({
      businessAccountId: wabaId,
      name: 'opening_hours',
      language: 'en_US',
      category: 'UTILITY',
      components: [{ type: 'BODY', text: 'We are open from nine to five.' }],
    });
    assert.equal(made.status, 'PENDING');
    await kit.control.settle();
    const after = await templates.list({ businessAccountId: wabaId, name: 'opening_hours' });
    assert.deepEqual(
      after.data.map(({ status }) => status),
      ['APPROVED'],
    );
    await templates.delete({ businessAccountId: wabaId, name: 'opening_hours' });
    assert.deepEqual((await templates.list({ businessAccountId: wabaId, name: 'opening_hours' })).data, []);
  });

  test('verifies and reads the callbacks', async (context) => {
    const kit = await startKit(context);
    await kit.known();
    const { id } = await kit.control.inbound({
      from: customer,
      to: numberId,
      text: 'Où est mon colis ?',
      name: 'Inès',
    });
    await clientOf(kit).messages.sendText({ ...at, body: 'En route' });
    await kit.control.settle();
    for (const { headers, text } of kit.receiver.received) {
      const signatureHeader = headers['x-hub-signature-256'] as string;
      assert.ok(verifySignature({ appSecret, rawBody: Buffer.from(text, 'latin1'), signatureHeader }));
      assert.ok(!verifySignature({ appSecret, rawBody: `${text} `, signatureHeader }));
    }
    const [inbound, ...statuses] = kit.receiver.received.map(({ body }) => normalizeWebhook(body));
    assert.equal(inbound!.messages[0]!.id, id);
    assert.equal(inbound!.messages[0]!.text?.body, 'Où est mon colis ?');
    assert.equal(inbound!.contacts[0]!.profile?.name, 'Inès');
    assert.deepEqual(
      statuses.map((one) => one.statuses[0]!.status),
      ['sent', 'delivered', 'read'],
    );
  });

  test('understands a refusal', async (context) => {
    const kit = await startKit(context);
    const sent = clientOf(kit).messages.sendText({ ...at, to: '+4915191131056', body: 'x' });
    await assert.rejects(
      sent,
      (error: GraphApiError) => error instanceof GraphApiError && error.code === 131056,
    );
  });
});
