// Holds what a message brings for a template against what the template asks for. Pure: every gate and every preview calls
// it. The provider would answer a wrong number of parameters with 132000 and a wrong kind with 132012, after the charge of a
// call and without a path; here each fault is named where it stands.
import type { ErrorDetail } from '../../platform/errors/errors.ts';
import type { TemplateComponent, TemplateParameter } from '../provider/index.ts';
import {
  buttonsOf,
  headerParameter,
  type ParameterFormat,
  partOf,
  variablesOf,
  type WireButton,
  type WireComponent,
} from './components.ts';

export type TemplateShape = {
  category: string;
  parameterFormat: ParameterFormat;
  components: readonly WireComponent[];
};

type Given = { component: TemplateComponent; at: string };

/** Every fault, with paths relative to `template.components`: `[1].parameters[0].text`, or empty for the whole. */
export function checkTemplateParameters(
  template: TemplateShape,
  components: readonly TemplateComponent[] = [],
): ErrorDetail[] {
  if (partOf(template.components, 'CAROUSEL')) {
    return [{ path: '', issue: 'the template is a carousel, which this API cannot send' }];
  }
  const given = components.map((component, i) => ({ component, at: `[${i}]` }));
  return [
    ...misplacedFields(given),
    ...repeated(given),
    ...checkHeader(template, find(given, 'header')),
    ...checkBody(template, find(given, 'body')),
    ...checkOffer(template, find(given, 'limited_time_offer')),
    ...checkTapTarget(find(given, 'tap_target_configuration')),
    ...checkButtons(template, given),
  ];
}

const find = (given: Given[], type: string) => given.find(({ component }) => component.type === type);
const parametersOf = (given: Given | undefined): readonly TemplateParameter[] =>
  given?.component.parameters ?? [];
const count = (n: number, noun: string) =>
  n === 0 ? `no ${noun}s` : n === 1 ? `one ${noun}` : `${n} ${noun}s`;

function misplacedFields(given: Given[]): ErrorDetail[] {
  return given.flatMap(({ component, at }) => {
    if (component.type === 'button') {
      return (['subType', 'index'] as const)
        .filter((field) => component[field] === undefined)
        .map((field) => ({ path: `${at}.${field}`, issue: 'is required for a button' }));
    }
    return (['subType', 'index'] as const)
      .filter((field) => component[field] !== undefined)
      .map((field) => ({ path: `${at}.${field}`, issue: 'belongs to buttons only' }));
  });
}

function repeated(given: Given[]): ErrorDetail[] {
  const seen = new Set<string>();
  return given.flatMap(({ component: { type, index }, at }) => {
    const place = type === 'button' ? `button ${index}` : type;
    if (!seen.has(place)) {
      seen.add(place);
      return [];
    }
    const issue = type === 'button' ? 'repeats a button' : `repeats the ${type}`;
    return [{ path: type === 'button' ? `${at}.index` : `${at}.type`, issue }];
  });
}

/** `given` brings exactly `wanted` parameters of one of these types, or each fault is told. */
function expectParameters(
  given: Given | undefined,
  wanted: number,
  types: readonly string[],
  what: string,
): ErrorDetail[] {
  const parameters = parametersOf(given);
  if (!given) return wanted === 0 ? [] : [{ path: '', issue: `must have a ${what}` }];
  if (parameters.length !== wanted) {
    const issue = `must have ${count(wanted, 'parameter')}, has ${parameters.length}`;
    return [{ path: `${given.at}.parameters`, issue }];
  }
  return parameters.flatMap(({ type }, i) =>
    types.includes(type)
      ? []
      : [{ path: `${given.at}.parameters[${i}].type`, issue: `must be ${types.join(', ')}` }],
  );
}

function checkHeader(template: TemplateShape, given: Given | undefined): ErrorDetail[] {
  const header = partOf(template.components, 'HEADER');
  const kind = headerParameter[header?.format ?? ''];
  if (kind) return expectParameters(given, 1, [kind], `header with the ${kind} of the template`);
  const variables = variablesOf(header?.text);
  if (variables.length === 0) return noParameters(given, 'the template has no variable in its header');
  return checkTexts(template, given, variables, ['text'], 'header');
}

function noParameters(given: Given | undefined, issue: string): ErrorDetail[] {
  return parametersOf(given).length === 0 ? [] : [{ path: `${given!.at}.parameters`, issue }];
}

/** Authentication templates have no text of their own: the code is their one parameter. */
function checkBody(template: TemplateShape, given: Given | undefined): ErrorDetail[] {
  if (template.category === 'AUTHENTICATION') {
    const faults = expectParameters(given, 1, ['text'], 'body with the code');
    return faults.length > 0
      ? faults
      : codeFaults(textOf(parametersOf(given)[0]), `${given!.at}.parameters[0].text`);
  }
  const variables = variablesOf(partOf(template.components, 'BODY')?.text);
  if (variables.length === 0) return noParameters(given, 'the template has no variable in its body');
  return checkTexts(template, given, variables, ['text', 'currency', 'date_time'], 'body');
}

const maxCodeLength = 15;
const codeFaults = (code: string | undefined, path: string): ErrorDetail[] =>
  code !== undefined && (code.length === 0 || code.length > maxCodeLength)
    ? [{ path, issue: `must be a code of 1 to ${maxCodeLength} characters` }]
    : [];

const textOf = (parameter: TemplateParameter | undefined): string | undefined =>
  parameter?.type === 'text' ? parameter.text : undefined;

/** The variables of a text: by position, or each by its name. */
function checkTexts(
  template: TemplateShape,
  given: Given | undefined,
  variables: readonly string[],
  types: readonly string[],
  what: string,
): ErrorDetail[] {
  const isNamed = template.parameterFormat === 'NAMED';
  const faults = expectParameters(
    given,
    variables.length,
    isNamed ? ['text'] : types,
    `${what} with ${count(variables.length, 'parameter')}`,
  );
  if (!given) return faults;
  return [...faults, ...emptyTexts(given), ...(isNamed ? checkNames(given, variables) : surplusNames(given))];
}

/** The provider refuses an empty value: a text with a hole in it is never meant. */
function emptyTexts(given: Given): ErrorDetail[] {
  return parametersOf(given).flatMap((parameter, i) =>
    parameter.type === 'text' && parameter.text.trim() === ''
      ? [{ path: `${given.at}.parameters[${i}].text`, issue: 'must not be blank' }]
      : [],
  );
}

function surplusNames(given: Given): ErrorDetail[] {
  return parametersOf(given).flatMap((parameter, i) =>
    parameter.type === 'text' && parameter.parameterName !== undefined
      ? [
          {
            path: `${given.at}.parameters[${i}].parameterName`,
            issue: 'the parameters of this template have positions, not names',
          },
        ]
      : [],
  );
}

function checkNames(given: Given, variables: readonly string[]): ErrorDetail[] {
  const open = new Set(variables);
  const faults = parametersOf(given).flatMap((parameter, i): ErrorDetail[] => {
    if (parameter.type !== 'text') return [];
    const path = `${given.at}.parameters[${i}].parameterName`;
    const { parameterName: name } = parameter;
    if (name === undefined) return [{ path, issue: 'is required, for the template names its parameters' }];
    if (open.delete(name)) return [];
    return [
      { path, issue: variables.includes(name) ? 'repeats a parameter' : 'is no parameter of the template' },
    ];
  });
  const missing = [...open].map((name) => ({
    path: `${given.at}.parameters`,
    issue: `must have the parameter ${name}`,
  }));
  return [...faults, ...missing];
}

function checkOffer(template: TemplateShape, given: Given | undefined): ErrorDetail[] {
  const offer = partOf(template.components, 'LIMITED_TIME_OFFER')?.limited_time_offer;
  if (offer?.has_expiration) {
    return expectParameters(given, 1, ['limited_time_offer'], 'limited_time_offer with its end');
  }
  return given ? [{ path: given.at, issue: 'the template has no offer that ends' }] : [];
}

function checkTapTarget(given: Given | undefined): ErrorDetail[] {
  return given ? expectParameters(given, 1, ['tap_target_configuration'], '') : [];
}

type ButtonRule = {
  subTypes: readonly string[];
  /** The parameter it takes, and whether it can go without. */
  parameter: (button: WireButton) => { type: string; optional: boolean } | null;
};

const dynamicUrl = (button: WireButton) =>
  variablesOf(button.url).length > 0 ? { type: 'text', optional: false } : null;

const buttonRules: Record<string, ButtonRule> = {
  QUICK_REPLY: { subTypes: ['quick_reply'], parameter: () => ({ type: 'payload', optional: true }) },
  URL: { subTypes: ['url'], parameter: dynamicUrl },
  COPY_CODE: { subTypes: ['copy_code'], parameter: () => ({ type: 'coupon_code', optional: false }) },
  // The wire calls it a URL button; both names are taken.
  OTP: { subTypes: ['otp', 'url'], parameter: () => ({ type: 'text', optional: false }) },
  CATALOG: { subTypes: ['catalog'], parameter: () => ({ type: 'action', optional: true }) },
  MPM: { subTypes: ['mpm'], parameter: () => ({ type: 'action', optional: false }) },
  // The product comes from the header.
  SPM: { subTypes: ['spm'], parameter: () => null },
  FLOW: { subTypes: ['flow'], parameter: () => null },
};

function checkButtons(template: TemplateShape, given: Given[]): ErrorDetail[] {
  const buttons = buttonsOf(template.components);
  const placed = new Map<number, Given>();
  const strangers = given.flatMap((item): ErrorDetail[] => {
    const { type, index } = item.component;
    if (type !== 'button' || index === undefined) return [];
    if (index >= buttons.length) return [{ path: `${item.at}.index`, issue: 'is no button of the template' }];
    placed.set(index, item);
    return [];
  });
  const faults = buttons.flatMap((button, index) => checkButton(button, index, placed.get(index)));
  return [...strangers, ...faults, ...checkCode(template, find(given, 'body'), buttons, placed)];
}

function checkButton(button: WireButton, index: number, given: Given | undefined): ErrorDetail[] {
  const rule = buttonRules[button.type];
  if (!rule)
    return given ? [{ path: `${given.at}.index`, issue: 'is a button that takes no parameters' }] : [];
  const wanted = rule.parameter(button);
  if (!given) {
    if (!wanted || wanted.optional) return [];
    return [{ path: '', issue: `must have a button with subType ${rule.subTypes[0]} and index ${index}` }];
  }
  const { subType } = given.component;
  if (subType !== undefined && !rule.subTypes.includes(subType)) {
    return [{ path: `${given.at}.subType`, issue: `must be ${rule.subTypes[0]}, as in the template` }];
  }
  if (!wanted) return noParameters(given, 'this button takes no parameters');
  if (wanted.optional && parametersOf(given).length === 0) return [];
  return [
    ...expectParameters(given, 1, [wanted.type], ''),
    ...emptyTexts(given),
    ...productFaults(button, given),
  ];
}

const maxProducts = 30;

/** A list of products needs its sections; the provider counts 30 products over all of them. */
function productFaults(button: WireButton, given: Given): ErrorDetail[] {
  const [parameter] = parametersOf(given);
  if (parameter?.type !== 'action') return [];
  const path = `${given.at}.parameters[0].sections`;
  if (button.type !== 'MPM') {
    return parameter.sections ? [{ path, issue: 'belongs to buttons that show several products' }] : [];
  }
  if (!parameter.sections) return [{ path, issue: 'is required' }];
  const products = parameter.sections.reduce((sum, { productItems }) => sum + productItems.length, 0);
  return products > maxProducts ? [{ path, issue: `must have at most ${maxProducts} products in all` }] : [];
}

/** The code on the button is the code in the text: people would otherwise copy another than they read. */
function checkCode(
  template: TemplateShape,
  body: Given | undefined,
  buttons: WireButton[],
  placed: Map<number, Given>,
): ErrorDetail[] {
  if (template.category !== 'AUTHENTICATION') return [];
  const given = placed.get(buttons.findIndex(({ type }) => type === 'OTP'));
  const shown = textOf(parametersOf(body)[0]);
  const copied = textOf(parametersOf(given)[0]);
  if (shown === undefined || copied === undefined || shown === copied) return [];
  return [{ path: `${given!.at}.parameters[0].text`, issue: 'must be the code of the body' }];
}
