// The buttons of a new template: how many of each, what each needs, and in which order they stand.
import type { ErrorDetail } from '../../platform/errors/errors.ts';
import { variablesOf } from './components.ts';
import type { TemplateCategory } from './find-template.ts';
import type { Button, TemplatePart } from './schema.ts';

type Placed = { part: TemplatePart; at: string };
type Field = Exclude<keyof Button, 'type'>;
type Rule = { most: number; needs: readonly Field[]; may: readonly Field[] };

const rules: Record<Button['type'], Rule> = {
  QUICK_REPLY: { most: 10, needs: ['text'], may: [] },
  URL: { most: 2, needs: ['text', 'url'], may: ['example'] },
  PHONE_NUMBER: { most: 1, needs: ['text', 'phoneNumber'], may: [] },
  COPY_CODE: { most: 1, needs: ['example'], may: [] },
  OTP: {
    most: 1,
    needs: ['otpType'],
    may: ['text', 'autofillText', 'supportedApps', 'zeroTapTermsAccepted'],
  },
  FLOW: { most: 1, needs: ['text'], may: ['flowId', 'flowName', 'flowAction', 'navigateScreen'] },
  CATALOG: { most: 1, needs: ['text'], may: [] },
  MPM: { most: 1, needs: ['text'], may: [] },
  SPM: { most: 1, needs: ['text'], may: [] },
};

export function judgeButtons(category: TemplateCategory, placed: Placed | undefined): ErrorDetail[] {
  const isCode = category === 'AUTHENTICATION';
  if (!placed) return isCode ? [{ path: 'components', issue: 'must have BUTTONS with an OTP button' }] : [];
  const path = `${placed.at}.buttons`;
  const { buttons } = placed.part;
  if (!buttons) return [{ path, issue: 'is required' }];
  return [
    ...buttons.flatMap((button, i) => judgeButton(button, `${path}[${i}]`, isCode)),
    ...tooMany(buttons, path),
    ...scattered(buttons, path),
    ...(isCode && buttons.length !== 1 ? [{ path, issue: 'must be one OTP button for AUTHENTICATION' }] : []),
  ];
}

function judgeButton(button: Button, at: string, isCode: boolean): ErrorDetail[] {
  if ((button.type === 'OTP') !== isCode) {
    return [
      { path: `${at}.type`, issue: isCode ? 'must be OTP for AUTHENTICATION' : 'belongs to AUTHENTICATION' },
    ];
  }
  const { needs, may } = rules[button.type];
  const given = (Object.keys(button) as (keyof Button)[]).filter((name): name is Field => name !== 'type');
  return [
    ...needs
      .filter((field) => button[field] === undefined)
      .map((field) => ({ path: `${at}.${field}`, issue: 'is required' })),
    ...given
      .filter((field) => !needs.includes(field) && !may.includes(field))
      .map((field) => ({ path: `${at}.${field}`, issue: `does not belong to a ${button.type} button` })),
    ...judgeUrl(button, at),
    ...judgeCode(button, at),
    ...judgeFlow(button, at),
  ];
}

/** The one variable of a URL is its end. */
function judgeUrl({ type, url, example }: Button, at: string): ErrorDetail[] {
  if (type !== 'URL' || url === undefined) return [];
  const variables = variablesOf(url);
  if (variables.length > 0 && !/^[^{}]+\{\{1\}\}$/.test(url)) {
    return [{ path: `${at}.url`, issue: 'may have one variable, {{1}}, at its end' }];
  }
  if (!URL.canParse(url.replace('{{1}}', '1')) || !/^https?:/i.test(url)) {
    return [{ path: `${at}.url`, issue: 'must be an http or https URL' }];
  }
  if (variables.length > 0 === (example !== undefined)) return [];
  const issue = example
    ? 'belongs to a URL with a variable'
    : 'is required: the whole URL with a value in it';
  return [{ path: `${at}.example`, issue }];
}

const oneTap = new Set(['ONE_TAP', 'ZERO_TAP']);
const maxCouponLength = 15;

function judgeCode({ type, otpType, supportedApps, example }: Button, at: string): ErrorDetail[] {
  if (type === 'OTP' && oneTap.has(otpType ?? '') && !supportedApps) {
    return [{ path: `${at}.supportedApps`, issue: `is required for ${otpType}` }];
  }
  if (type === 'COPY_CODE' && example && example[0]!.length > maxCouponLength) {
    return [{ path: `${at}.example[0]`, issue: `must be at most ${maxCouponLength} characters` }];
  }
  return [];
}

function judgeFlow({ type, flowId, flowName }: Button, at: string): ErrorDetail[] {
  if (type !== 'FLOW' || (flowId === undefined) !== (flowName === undefined)) return [];
  return [{ path: `${at}.flowId`, issue: 'or flowName is required, and not both' }];
}

function tooMany(buttons: readonly Button[], path: string): ErrorDetail[] {
  return (Object.keys(rules) as Button['type'][])
    .filter((type) => buttons.filter((button) => button.type === type).length > rules[type].most)
    .map((type) => ({ path, issue: `must have at most ${rules[type].most} of type ${type}` }));
}

/** Quick replies stand together, before the others or after them. */
function scattered(buttons: readonly Button[], path: string): ErrorDetail[] {
  const groups = buttons.filter(
    ({ type }, i) => type === 'QUICK_REPLY' && buttons[i - 1]?.type !== 'QUICK_REPLY',
  );
  return groups.length > 1 ? [{ path, issue: 'must keep its quick replies together' }] : [];
}
