// What the provider asks of a content beyond the shapes of the contract: totals over sections, names that must differ,
// members that only make sense beside others. Pure, and asked of what is sent, whichever way it was given.
import type { ErrorDetail } from '../../../platform/errors/errors.ts';
import type { Content, ContentObjects } from '../../provider/index.ts';

type Issues = ErrorDetail[];

export function judgeContent(content: Content): Issues {
  switch (content.type) {
    case 'image':
    case 'video':
    case 'audio':
    case 'document':
    case 'sticker':
      return judgeMedia(content.type, content.media);
    case 'interactive':
      return judgeInteractive(content.interactive);
    case 'product_list':
      return judgeProductTotal('productList', content.productList.sections);
    case 'carousel':
      return judgeCarousel('carousel', content.carousel);
    case 'flow':
      return judgeFlow(content.flow);
    case 'template':
      return judgeFilenames(content.template);
    default:
      return [];
  }
}

const captioned = new Set(['image', 'video', 'document']);

function judgeMedia(type: string, media: ContentObjects['media']): Issues {
  const issues: Issues = [];
  if (media.caption !== undefined && !captioned.has(type)) {
    issues.push({ path: 'media.caption', issue: `does not go with ${type}` });
  }
  if (media.filename !== undefined) {
    const issue = type === 'document' ? filenameIssue(media.filename) : 'goes with document only';
    if (issue) issues.push({ path: 'media.filename', issue });
  }
  if (media.voice !== undefined && type !== 'audio') {
    issues.push({ path: 'media.voice', issue: 'goes with audio only' });
  }
  return issues;
}

const longestFilename = 240;

/** Counted as the contract counts: by characters, however many units they are stored in. */
const filenameIssue = (filename: string) =>
  [...filename].length > longestFilename ? `must be at most ${longestFilename} characters` : null;

function judgeFilenames({ components = [] }: ContentObjects['template']): Issues {
  return components.flatMap(({ parameters = [] }, component) =>
    parameters.flatMap((parameter, at) => {
      const issue = parameter.type === 'document' && filenameIssue(parameter.filename ?? '');
      return issue ? [{ path: `template.components[${component}].parameters[${at}].filename`, issue }] : [];
    }),
  );
}

const mostRows = 10;
const mostProducts = 30;

function judgeInteractive(interactive: ContentObjects['interactive']): Issues {
  switch (interactive.subtype) {
    case 'button':
      return [
        ...judgeDistinct('interactive.buttons', 'id', interactive.buttons),
        ...judgeDistinct('interactive.buttons', 'title', interactive.buttons),
      ];
    case 'list': {
      const rows = interactive.sections.flatMap((section) => section.rows);
      const issues = judgeDistinct('interactive.sections', 'row id', rows);
      if (rows.length > mostRows) {
        issues.push({ path: 'interactive.sections', issue: `must have at most ${mostRows} rows in all` });
      }
      return interactive.sections.length === 1 ? issues : [...issues, ...judgeTitles(interactive.sections)];
    }
    case 'product_list':
      return judgeProductTotal('interactive', interactive.sections);
    case 'carousel':
      return judgeCarousel('interactive', interactive);
    default:
      return [];
  }
}

function judgeTitles(sections: { title?: string }[]): Issues {
  return sections.flatMap(({ title }, at) =>
    title ? [] : [{ path: `interactive.sections[${at}].title`, issue: 'is required beside other sections' }],
  );
}

function judgeDistinct(path: string, what: string, items: { id: string; title: string }[]): Issues {
  const values = items.map((item) => (what === 'title' ? item.title : item.id));
  return new Set(values).size === values.length ? [] : [{ path, issue: `must not repeat a ${what}` }];
}

function judgeProductTotal(path: string, sections: { productItems: unknown[] }[]): Issues {
  const total = sections.reduce((sum, { productItems }) => sum + productItems.length, 0);
  if (total <= mostProducts) return [];
  return [{ path: `${path}.sections`, issue: `must have at most ${mostProducts} products in all` }];
}

function judgeCarousel(
  path: string,
  { cards }: { cards: { cardIndex: number; catalogId: string }[] },
): Issues {
  const issues: Issues = [];
  if (new Set(cards.map(({ cardIndex }) => cardIndex)).size < cards.length) {
    issues.push({ path: `${path}.cards`, issue: 'must not repeat a cardIndex' });
  }
  if (new Set(cards.map(({ catalogId }) => catalogId)).size > 1) {
    issues.push({ path: `${path}.cards`, issue: 'must all be of one catalog' });
  }
  return issues;
}

function judgeFlow({ action, screen, data }: ContentObjects['flow']): Issues {
  const issues: Issues = [];
  if (action === 'data_exchange') {
    if (screen !== undefined) issues.push({ path: 'flow.screen', issue: 'goes with navigate only' });
    if (data !== undefined) issues.push({ path: 'flow.data', issue: 'goes with navigate only' });
  } else if (data !== undefined && Object.keys(data).length === 0) {
    issues.push({ path: 'flow.data', issue: 'must not be empty' });
  }
  return issues;
}
