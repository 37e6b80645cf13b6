// What a row is declared to be, held against what PostgreSQL will send.
import { type Checker, SymbolFlags, type Type, TypeFlags } from 'typescript/unstable/sync';
import type { Column, Kind } from './describe.ts';

type Declared = { row: Type; open: boolean };

/** One line for each way in which the declaration says something else than the statement gives. */
export function deviations(checker: Checker, { row, open }: Declared, columns: Column[]): string[] {
  const properties = checker.getPropertiesOfType(row);
  const propertyTypes = checker.getTypeOfSymbol(properties);
  const declared = new Map(
    properties.map((property, index) => [
      property.name,
      { type: propertyTypes[index]!, optional: Boolean(property.flags & SymbolFlags.Optional) },
    ]),
  );
  const returned = new Map(columns.map((column) => [column.name, column]));
  return [
    ...[...declared]
      .filter(([name, { optional }]) => !returned.has(name) && !optional)
      .map(([name]) => `"${name}" is declared and not returned`),
    ...columns
      .filter(({ name }) => !open && !declared.has(name))
      .map(({ name }) => `"${name}" is returned and not declared`),
    ...columns.flatMap((column) => {
      const property = declared.get(column.name);
      return property ? ofColumn(checker, column, property.type) : [];
    }),
  ];
}

function ofColumn(checker: Checker, { name, type, kind, nullable }: Column, declared: Type): string[] {
  if (declared.flags & (TypeFlags.Any | TypeFlags.Unknown)) return [];
  const said = () => checker.typeToString(declared);
  const letsNull = membersOf(declared).some(({ flags }) => flags & TypeFlags.Null);
  return [
    ...(fits(checker, declared, kind)
      ? []
      : [`"${name}" is ${type}, which is read as ${nameOf(kind)}, and declared ${said()}`]),
    ...(nullable === true && !letsNull && kind !== 'anything'
      ? [`"${name}" can be null, and is declared ${said()}`]
      : []),
  ];
}

const membersOf = (type: Type): readonly Type[] => (type.isUnionType() ? type.getTypes() : [type]);
const nameOf = (kind: Kind): string => (typeof kind === 'object' ? `${nameOf(kind.arrayOf)}[]` : kind);

const flagsOf: Partial<Record<string, TypeFlags>> = {
  string: TypeFlags.StringLike,
  number: TypeFlags.NumberLike,
  boolean: TypeFlags.BooleanLike,
};

function fits(checker: Checker, declared: Type, kind: Kind): boolean {
  if (kind === 'anything' || declared.flags & (TypeFlags.Any | TypeFlags.Unknown)) return true;
  if (declared.isUnionType())
    return declared
      .getTypes()
      .filter(({ flags }) => !(flags & (TypeFlags.Null | TypeFlags.Undefined)))
      .every((member) => fits(checker, member, kind));
  if (declared.isIntersectionType()) return declared.getTypes().some((member) => fits(checker, member, kind));
  if (typeof kind === 'object') {
    if (!checker.isArrayLikeType(declared) || !declared.isTypeReference()) return false;
    return checker.getTypeArguments(declared).every((element) => fits(checker, element, kind.arrayOf));
  }
  const flags = flagsOf[kind];
  return flags ? Boolean(declared.flags & flags) : declared.getSymbol()?.name === kind;
}
