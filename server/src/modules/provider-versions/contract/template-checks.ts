// Templates: their list in words we know, and their life.
import { nobody } from './account-checks.ts';
import {
  type Check,
  Differs,
  given,
  holds,
  known,
  reading,
  refusedWith,
  type Stage,
  same,
  writing,
} from './check.ts';

const statuses = [
  'APPROVED',
  'ARCHIVED',
  'DELETED',
  'DISABLED',
  'IN_APPEAL',
  'LIMIT_EXCEEDED',
  'PAUSED',
  'PENDING',
  'PENDING_DELETION',
  'REJECTED',
];

const listed = async ({ provider, connection, wabaId }: Stage) =>
  given(await provider.listTemplates(connection, wabaId, null)).items;

const template = (name: string) => ({
  name,
  language: 'en',
  category: 'UTILITY',
  parameterFormat: 'POSITIONAL' as const,
  components: [{ type: 'BODY', text: 'Your pot is back in stock.' }],
});

/** A template of a name that no other run has. */
async function create(stage: Stage, word: string) {
  const name = `contract_${word}_${stage.now.getTime()}`;
  const { provider, connection, wabaId } = stage;
  return { name, ...given(await provider.createTemplate(connection, wabaId, template(name))) };
}

export const templateChecks: Check[] = [
  reading('templates are listed', async (stage) => {
    await listed(stage);
  }),
  reading('templates have a status we know', async (stage) =>
    known(
      statuses,
      (await listed(stage)).map(({ status }) => status),
    ),
  ),
  reading('templates have a category we know', async (stage) =>
    known(
      ['AUTHENTICATION', 'MARKETING', 'UTILITY'],
      (await listed(stage)).map(({ category }) => category),
    ),
  ),
  reading('templates have a quality we know', async (stage) =>
    known(
      ['GREEN', 'YELLOW', 'RED', 'UNKNOWN'],
      (await listed(stage)).map(({ qualityScore }) => qualityScore),
    ),
  ),
  reading('templates tell what they are made of', async (stage) => {
    const empty = (await listed(stage)).find(({ components }) => components.length === 0);
    holds(empty === undefined, 'components', `none of ${empty?.name}`);
  }),
  reading('templates of an account that nobody has are refused', async ({ provider, connection }) => {
    const answered = await provider.listTemplates(connection, nobody, null);
    refusedWith(answered, 'WABA_NOT_CONNECTED', 'NOT_FOUND');
  }),
  reading('flow that nobody has is refused', async ({ provider, connection }) => {
    refusedWith(await provider.getFlow(connection, nobody), 'WABA_NOT_CONNECTED', 'NOT_FOUND');
  }),

  writing('template is created and listed', async (stage) => {
    const { id } = await create(stage, 'new');
    const found = (await listed(stage)).find((item) => item.id === id);
    if (!found) throw new Differs(`template ${id}`, 'it is not listed');
    known(['PENDING', 'APPROVED'], [found.status]);
  }),
  writing('template of a name and language there is already is refused', async (stage) => {
    const { provider, connection, wabaId } = stage;
    const { name } = await create(stage, 'twice');
    const again = await provider.createTemplate(connection, wabaId, template(name));
    refusedWith(again, 'TEMPLATE_PROVIDER_ERROR', 'CONFLICT', 'TEMPLATE_NAME_LOCKED');
  }),
  writing('template without a body is refused', async ({ provider, connection, wabaId, now }) => {
    const empty = { ...template(`contract_empty_${now.getTime()}`), components: [] };
    const answered = await provider.createTemplate(connection, wabaId, empty);
    refusedWith(answered, 'TEMPLATE_PROVIDER_ERROR', 'PROVIDER_PERMANENT_ERROR', 'VALIDATION_ERROR');
  }),
  writing('template that was deleted is no longer listed as usable', async (stage) => {
    const { provider, connection, wabaId } = stage;
    const { id, name } = await create(stage, 'gone');
    given(await provider.deleteTemplate(connection, wabaId, name, id));
    const found = (await listed(stage)).find((item) => item.id === id);
    holds(found?.status !== 'APPROVED' && found?.status !== 'PENDING', 'no template', found?.status);
  }),
  writing('template of the samples is there', async (stage) => {
    const names = (await listed(stage)).map(({ name }) => name);
    same(names.includes('hello_world'), true);
  }),
];
