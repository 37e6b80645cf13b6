// A filter as a condition in SQL. Names come from the table of attributes and never from the client; values are always
// parameters; and whatever is missing makes a comparison false, never unknown, so that "not" means what it says.
import { type Sql, sql } from '../../../platform/db/query.ts';
import { isInstant } from '../../../platform/http/input/validation.ts';
import type { Attribute, ResourceKind } from './attributes.ts';
import type { AttributePath, Comparison, Filter } from './filter.ts';
import { type Resolved, resolvePath } from './resolve.ts';
import { badRequest } from './scim-error.ts';

/** One value in SQL. */
export type Scalar = { type: 'string' | 'boolean' | 'dateTime'; value: Sql; caseExact: boolean };
/** Several values: what is true of some of them, and the one that counts when there can be only one. */
export type Several = { some(condition: (element: Elements) => Sql): Sql; first: Scalar };
/** The parts of one of several values. */
export type Elements = (sub: Attribute) => Scalar;

export type Source = {
  kind: ResourceKind;
  /** Null where the attribute cannot be searched. */
  scalar(resolved: Resolved): Scalar | null;
  several(resolved: Resolved): Several | null;
  /** True for an attribute of another kind of resource that is searched together with this one: here it has no value. */
  isElsewhere?(path: AttributePath): boolean;
};

const cannot = (path: AttributePath) =>
  badRequest('invalidFilter', `"${nameOf(path)}" cannot be used in a filter.`);
const nameOf = ({ name, sub }: AttributePath) => (sub === null ? name : `${name}.${sub}`);

export function compileFilter(source: Source, filter: Filter): Sql {
  switch (filter.kind) {
    case 'and':
      return sql`(${compileFilter(source, filter.left)} and ${compileFilter(source, filter.right)})`;
    case 'or':
      return sql`(${compileFilter(source, filter.left)} or ${compileFilter(source, filter.right)})`;
    case 'not':
      return sql`(not ${compileFilter(source, filter.filter)})`;
    case 'some':
      return compileSome(source, filter.path, filter.filter);
    default:
      return compileLeaf(source, filter);
  }
}

type Leaf = Extract<Filter, { kind: 'present' | 'compare' }>;

function compileLeaf(source: Source, leaf: Leaf): Sql {
  const { path } = leaf;
  const resolved = resolvePath(source.kind, path);
  if (!resolved && source.isElsewhere?.(path)) return judgeMissing(leaf);
  if (!resolved) throw cannot(path);
  const { attribute, sub } = resolved;
  if (attribute.multiValued) {
    const several = source.several(resolved);
    const part = sub ?? valuePart(attribute);
    if (!several || !part) throw cannot(path);
    if (leaf.kind === 'present' && sub === null) return several.some(() => sql`true`);
    return several.some((element) => judge(element(part), leaf));
  }
  const part = attribute.type === 'complex' && sub === null ? valuePart(attribute) : sub;
  const scalar = source.scalar({ ...resolved, sub: part });
  if (!scalar) throw cannot(path);
  return judge(scalar, leaf);
}

/** `emails` alone means its values. */
const valuePart = (attribute: Attribute): Attribute | null =>
  attribute.subAttributes?.find(({ name }) => name === 'value') ?? null;

/** `emails[type eq "work" and value co "@example.com"]`: all of it must hold of one and the same value. */
function compileSome(source: Source, path: AttributePath, filter: Filter): Sql {
  const resolved = resolvePath(source.kind, path);
  const several = resolved?.attribute.multiValued && resolved.sub === null ? source.several(resolved) : null;
  if (!resolved && source.isElsewhere?.(path)) return sql`false`;
  if (!resolved || !several) throw cannot(path);
  return several.some((element) => compileOfElement(resolved.attribute, element, filter));
}

function compileOfElement(attribute: Attribute, element: Elements, filter: Filter): Sql {
  switch (filter.kind) {
    case 'and':
      return sql`(${compileOfElement(attribute, element, filter.left)}
        and ${compileOfElement(attribute, element, filter.right)})`;
    case 'or':
      return sql`(${compileOfElement(attribute, element, filter.left)}
        or ${compileOfElement(attribute, element, filter.right)})`;
    case 'not':
      return sql`(not ${compileOfElement(attribute, element, filter.filter)})`;
    case 'some':
      throw cannot(filter.path);
    default:
      return judge(element(partOf(attribute, filter.path)), filter);
  }
}

export function partOf(attribute: Attribute, path: AttributePath): Attribute {
  const found = attribute.subAttributes?.find(({ name }) => name.toLowerCase() === path.name.toLowerCase());
  if (!found || path.uri !== null || path.sub !== null) throw cannot(path);
  return found;
}

function judge(scalar: Scalar, leaf: Leaf): Sql {
  if (leaf.kind === 'present') {
    return scalar.type === 'string'
      ? sql`(coalesce(${scalar.value}, '') <> '')`
      : sql`(${scalar.value} is not null)`;
  }
  const { operator, value } = leaf;
  if (value === null) return judgeNull(scalar, operator);
  const comparison = compare[scalar.type](scalar, operator, value);
  if (!comparison) throw badRequest('invalidFilter', `"${nameOf(leaf.path)}" cannot be compared like that.`);
  return sql`coalesce(${comparison}, ${operator === 'ne'})`;
}

/** What a comparison says of a value that is not there, whatever its type. */
function judgeMissing(leaf: Leaf): Sql {
  if (leaf.kind === 'present') return sql`false`;
  const missing: Scalar = { type: 'string', value: sql`null::text`, caseExact: false };
  return leaf.value === null ? judgeNull(missing, leaf.operator) : sql`${leaf.operator === 'ne'}::boolean`;
}

function judgeNull({ value }: Scalar, operator: Comparison): Sql {
  if (operator === 'eq') return sql`(${value} is null)`;
  if (operator === 'ne') return sql`(${value} is not null)`;
  throw badRequest('invalidFilter', 'null can only be equal or not equal.');
}

type Compare = (scalar: Scalar, operator: Comparison, value: string | number | boolean) => Sql | null;

const ordered: Partial<Record<Comparison, Sql>> = {
  gt: sql`>`,
  ge: sql`>=`,
  lt: sql`<`,
  le: sql`<=`,
};
const equality: Partial<Record<Comparison, Sql>> = { eq: sql`=`, ne: sql`<>` };

const compare: Record<Scalar['type'], Compare> = {
  string({ value: plain, caseExact }, operator, given) {
    if (typeof given !== 'string') return null;
    const left = caseExact ? plain : sql`lower(${plain})`;
    const right = caseExact ? sql`${given}::text` : sql`lower(${given}::text)`;
    switch (operator) {
      case 'co':
        return sql`(position(${right} in ${left}) > 0)`;
      case 'sw':
        return sql`starts_with(${left}, ${right})`;
      case 'ew':
        return sql`(right(${left}, length(${right})) = ${right})`;
      default:
        // By code points, so that the order does not depend on the machine's language.
        return ordered[operator]
          ? sql`((${left}) collate "C" ${ordered[operator]} ${right})`
          : sql`(${left} ${equality[operator]!} ${right})`;
    }
  },
  boolean({ value }, operator, given) {
    const sign = equality[operator];
    return typeof given === 'boolean' && sign ? sql`(${value} ${sign} ${given}::boolean)` : null;
  },
  dateTime({ value }, operator, given) {
    const sign = equality[operator] ?? ordered[operator];
    if (typeof given !== 'string' || !isInstant(given) || !sign) return null;
    return sql`(${value} ${sign} ${given}::timestamptz)`;
  },
};
