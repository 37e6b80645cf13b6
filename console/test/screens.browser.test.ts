// What the console looks like, held against pictures of it.
import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { PNG } from 'pngjs';
import { type Role, roleCatalogue, scopesOfRole } from '../../server/src/modules/roles/catalogue.ts';
import { beginDeadline } from '../../server/test/harness/deadline.ts';
import { withPassword } from '../../server/test/harness/sign-in.ts';
import { until } from '../../server/test/harness/until.ts';
import { canWith, type OperationId } from '../src/api/can.ts';
import { en } from '../src/words/en.ts';
import { resources } from '../src/words/resources/en.ts';
import {
  canCompare,
  compared,
  difference,
  nameOf,
  type Screen,
  shownScreens,
  storedPicture,
} from './screens/compared.ts';
import { stepTo } from './screens/drawing.ts';
import { type Furnished, furnish, innerPages, openPages } from './screens/furnished.ts';
import { sharedStage } from './stage.ts';

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Patterns of all addresses, as the router is told them. */
async function addresses(): Promise<RegExp[]> {
  const files = [
    '../src/router.tsx',
    ...(await readdir(at('../src/routes'))).map((name) => `../src/routes/${name}`),
  ];
  const texts = await Promise.all(files.map((name) => readFile(at(name), 'utf8')));
  const routes = texts.flatMap((text) => [
    ...text.matchAll(/getParentRoute: \(\) => (\w+),\s+path: '([^']+)'/g),
  ]);
  return routes.map(([, parent, path]) => {
    const whole = parent === 'workspace' ? `/$environment/$account${path}` : path!;
    return new RegExp(`^/console${whole.replace(/\/$/, '').replaceAll(/\$\w+/g, '[^/]+')}/?$`);
  });
}

test('every address of the console is among the pages that are looked at and drawn', async () => {
  const some = new Proxy({}, { get: (_, name) => String(name) }) as Furnished;
  const pages = [...Object.values(openPages), ...Object.values(innerPages('AC1', some))];
  // These two only lead elsewhere.
  const shown = [...pages, '/console/', '/console/account'].map((page) => page.replace(/[?#].*/, ''));
  const routes = await addresses();
  assert.ok(routes.length > 40, `${routes.length}`);
  const missing = routes.filter((route) => !shown.some((page) => route.test(page)));
  assert.deepEqual(missing, []);
});

test('a screen on which one letter has another colour is not as stored', () => {
  const [screen] = compared as [Screen];
  const stored = storedPicture(screen);
  assert.equal(difference(screen, PNG.sync.write(stored)).pixels, 0);
  for (let y = 100; y < 108; y++)
    for (let x = 100; x < 106; x++) stored.data[(y * stored.width + x) * 4]! ^= 0x80;
  assert.equal(difference(screen, PNG.sync.write(stored)).pixels, 48);
});

const stage = sharedStage({ drawsAlike: true });
let furnishing: Promise<Furnished> | undefined;
const furnished = () => {
  furnishing ??= furnish(stage.app);
  return furnishing;
};

const skip = !canCompare && 'the browser that draws them is for Linux on x64';

test(`the console looks as it did, on ${compared.length} screens`, { skip }, async () => {
  for await (const { screen, draw } of shownScreens(stage, await furnished())) {
    beginDeadline();
    let picture: Buffer = Buffer.alloc(0);
    await until(`${nameOf(screen)} looks as stored`, async () => {
      const found = difference(screen, await draw());
      picture = found.picture;
      return found.pixels === 0;
    }).catch(async (error) => {
      const folder = at('../../screens/');
      await mkdir(folder, { recursive: true });
      const file = `${folder}differs-${nameOf(screen)}.png`;
      await writeFile(file, picture);
      error.message += `; ${file} shows where it does not. Where that is meant: npm run screens -- --accept`;
      throw error;
    });
  }
});

/** What the page of one thing offers, in its order, and the operations without which it would lead nowhere. */
type Offer = readonly [says: string, ...needs: OperationId[]];
type Offering = { sees: OperationId; offers: readonly Offer[] };

const offerings: Partial<Record<string, Offering>> = {
  message: {
    sees: 'getMessage',
    offers: [[en.phone.write, 'readSandboxPhone', 'writeOnSandboxPhone']],
  },
  contact: {
    sees: 'getContact',
    offers: [
      [en.contacts.mergeAnother, 'previewContactMerge'],
      [en.contacts.write, 'sendMessage', 'listSenders'],
      [en.contacts.lift, 'listContactSuppressions', 'deleteContactSuppression'],
      [en.contacts.suppress, 'listContactSuppressions', 'createContactSuppression'],
      [en.contacts.record, 'createContactConsent'],
      [en.proof.make, 'certifyConsents'],
    ],
  },
  merge: { sees: 'getContactMerge', offers: [[en.merges.takeBack, 'revertContactMerge']] },
  segment: {
    sees: 'getSegment',
    offers: [
      [en.segments.whyNot, 'explainSegment', 'listSenders'],
      [en.segments.edit, 'updateSegment'],
      [en.segments.cutAgain, 'refreshSegment'],
      [en.segments.remove, 'deleteSegment'],
    ],
  },
  'one-media': {
    sees: 'getMedia',
    offers: [
      [resources.media.remove, 'deleteMedia'],
      [resources.media.keep, 'getMediaContent'],
    ],
  },
  template: {
    sees: 'getTemplate',
    offers: [
      [resources.templates.edit, 'updateTemplate'],
      [resources.templates.remove, 'deleteTemplate'],
    ],
  },
  content: {
    sees: 'getContent',
    offers: [
      [resources.contents.edit, 'updateContent'],
      [resources.contents.remove, 'deleteContent'],
      [resources.contents.fill, 'previewContent'],
    ],
  },
  flow: {
    sees: 'getFlow',
    offers: [
      [resources.flows.sync, 'syncFlow'],
      [resources.flows.remove, 'forgetFlow'],
    ],
  },
  sender: {
    sees: 'getSender',
    offers: [
      [resources.senders.refresh, 'refreshSender'],
      [resources.senders.editProfile, 'updateSenderProfile'],
    ],
  },
  pool: {
    sees: 'getSenderPool',
    offers: [
      [resources.pools.remove, 'deleteSenderPool'],
      [resources.pools.save, 'setSenderPoolMember'],
      [resources.pools.takeOut, 'removeSenderPoolMember'],
      [resources.pools.addIt, 'setSenderPoolMember'],
      [resources.pools.save, 'updateSenderPool'],
    ],
  },
  waba: {
    sees: 'getWaba',
    offers: [
      [resources.wabas.acts.reconcile, 'reconcileWabaSubscription'],
      [resources.wabas.acts.disconnect, 'disconnectWaba'],
    ],
  },
  endpoint: {
    sees: 'getWebhook',
    offers: [
      [en.webhooks.change, 'updateWebhook'],
      [en.webhooks.acts.verify, 'verifyWebhook'],
      [en.webhooks.acts.test, 'testWebhook'],
      [en.webhooks.acts.rotate, 'rotateWebhookSecret'],
      [en.webhooks.remove, 'deleteWebhook'],
      [en.webhooks.setHeaders, 'setWebhookHeaders'],
      [en.webhooks.replay('1', '18'), 'replayEvents'],
    ],
  },
  keys: {
    sees: 'listApiKeys',
    offers: [
      [en.keys.make, 'createApiKey'],
      [en.keys.rotate, 'rotateApiKey'],
      [en.keys.disable, 'updateApiKey'],
    ],
  },
  operation: {
    sees: 'getOperation',
    offers: [[en.contactFiles.downloadErrors, 'downloadContactImportErrors']],
  },
  approval: {
    sees: 'getApproval',
    offers: [
      [en.approvals.approve, 'approveApproval'],
      [en.approvals.reject, 'rejectApproval'],
    ],
  },
};

test('the page of one thing offers each built-in role what it may do there, and nothing else', async () => {
  const one = await furnished();
  const all = innerPages(stage.app.accountSid, one);
  const visitor = await stage.visitor();
  const { context, page, troubles, leave } = visitor;
  // Roles that may do the same on a page are shown the same: one of them is asked.
  const asked = new Set<string>();
  for (const role of Object.keys(roleCatalogue) as Role[]) {
    const can = canWith(scopesOfRole(role));
    const wanted = Object.entries(offerings as Record<string, Offering>)
      .filter(([, { sees }]) => can(sees))
      .map(([name, { offers }]) => {
        const allowed = offers.filter(([, ...needs]) => needs.every(can)).map(([says]) => says);
        return { name, allowed, as: JSON.stringify([name, allowed]) };
      })
      .filter(({ as }) => !asked.has(as));
    if (wanted.length === 0) continue;
    const { email } = await withPassword(stage.app, { roles: [role] });
    await context.clearCookies();
    await stage.enter(visitor, email);
    for (const { name, allowed, as } of wanted) {
      beginDeadline();
      asked.add(as);
      await stepTo(page, all[name]!);
      let offered: string[] = [];
      await until(`${role} is offered on ${name} what it may do`, async () => {
        // A link that looks like a button is offered as one is.
        offered = await page.locator('main :is(button, a.min-h-9):not([data-preview] *)').allTextContents();
        return isDeepStrictEqual(offered, allowed);
      }).catch((error) => {
        assert.deepEqual(offered, allowed, `${role} ${name}`);
        throw error;
      });
      assert.deepEqual(troubles(), [], `${role} ${name}`);
    }
  }
  assert.ok(asked.size > Object.keys(offerings).length, 'somebody may do less than others');
  await leave();
});
