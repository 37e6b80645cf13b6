// Every place that runs a statement and says what a row of it looks like.
import { basename } from 'node:path';
import type { CallExpression, Node } from 'typescript/unstable/ast';
import {
  isCallExpression,
  isIdentifier,
  isPropertyAccessExpression,
  isReturnStatement,
  isTypeParameterDeclaration,
} from 'typescript/unstable/ast/is';
import { type Type, TypeFlags } from 'typescript/unstable/sync';
import { below, type Program } from './program.ts';
import { type Bindings, bind, isFunction, sqlText, Unresolved } from './sql-text.ts';

export type DeclaredQuery = {
  place: string;
  /** The file and the function it stands in. */
  within: string;
  row: Type;
  /** Further columns go by names that a type parameter brings. */
  open: boolean;
  /** One for each way the code may write it; none when nobody can tell without running it. */
  texts: string[];
  unresolved: string | null;
};

export function findQueries(program: Program): DeclaredQuery[] {
  const calls = program.files.flatMap((file) => [...below(file)].filter(isCallExpression));
  return calls.filter(isQuery).flatMap((call) => {
    const row = rowOf(program, call);
    if (!row || row.flags & (TypeFlags.Unknown | TypeFlags.Any)) return [];
    return instances(program, calls, call, call.arguments[0]!, row, new Map(), 0);
  });
}

const isQuery = (call: CallExpression): boolean =>
  isPropertyAccessExpression(call.expression) &&
  /^(one|maybe|many)$/.test(call.expression.name.text) &&
  call.arguments.length === 1;

function rowOf(program: Program, call: CallExpression): Type | undefined {
  const { checker } = program;
  if (!program.isSql(call.arguments[0]!)) return undefined;
  const [written] = call.typeArguments ?? [];
  if (written) return checker.getTypeFromTypeNode(written);
  // Nothing is written where only the number of rows counts, or where what the function returns says it.
  const promised = checker.getTypeAtLocation(call);
  if (!promised?.isTypeReference() || !isReturnStatement(call.parent)) return undefined;
  const [answer] = checker.getTypeArguments(promised);
  if (answer?.isTypeReference() && checker.isArrayType(answer)) return checker.getTypeArguments(answer)[0];
  return answer && checker.getNonNullableType(answer);
}

function isOpen(program: Program, place: Node): boolean {
  const [written] = (place as CallExpression).typeArguments ?? [];
  const names = written ? [written, ...below(written)].filter(isIdentifier) : [];
  return names.some((name) => {
    const declaration = program.declarationOf(name);
    return declaration !== undefined && isTypeParameterDeclaration(declaration);
  });
}

const mostCallers = 4;

/** One for the call itself, or, where its text or its row is its function's parameter, one for every caller. */
function instances(
  program: Program,
  calls: CallExpression[],
  place: Node,
  query: Node,
  row: Type,
  bindings: Bindings,
  depth: number,
): DeclaredQuery[] {
  const of = (texts: string[], unresolved: string | null): DeclaredQuery[] => [
    {
      place: program.placeOf(place),
      within: withinOf(place),
      row,
      open: isOpen(program, place),
      texts,
      unresolved,
    },
  ];
  try {
    const texts = (['first', 'last'] as const).map((way) => sqlText(program, query, bindings, way));
    if (!row.isTypeParameter()) return of([...new Set(texts)], null);
  } catch (error) {
    if (!(error instanceof Unresolved)) throw error;
    if (!error.parameter || depth === mostCallers) return of([], error.message);
    const callers = callersOf(program, calls, error.parameter.parent);
    if (callers.length === 0) return of([], error.message);
    return callers.flatMap((caller) => called(caller, error.parameter!.parent));
  }
  const fn = functionAround(place, isGeneric)!;
  return callersOf(program, calls, fn).flatMap((caller) => called(caller, fn));

  function called(caller: CallExpression, fn: Node): DeclaredQuery[] {
    if (!isFunction(fn)) return of([], program.placeOf(fn));
    const [written] = caller.typeArguments ?? [];
    const asked = row.isTypeParameter() && written ? program.checker.getTypeFromTypeNode(written)! : row;
    const inside = new Map([...bindings, ...bind(fn, caller.arguments, bindings)]);
    return instances(program, calls, row.isTypeParameter() ? caller : place, query, asked, inside, depth + 1);
  }
}

function functionAround(node: Node, isIt: (fn: Node) => boolean): Node | undefined {
  const around = node.parent;
  if (!around) return undefined;
  return isFunction(around) && isIt(around) ? around : functionAround(around, isIt);
}

const nameOf = (fn: Node): string | undefined => {
  const declaration = 'name' in fn && fn.name ? fn : fn.parent;
  return (declaration as { name?: Node }).name?.getText();
};
const isGeneric = (fn: Node): boolean => Boolean((fn as { typeParameters?: unknown }).typeParameters);

function withinOf(node: Node): string {
  const fn = functionAround(node, (around) => nameOf(around) !== undefined);
  return `${basename(node.getSourceFile().fileName)} ${fn ? nameOf(fn) : ''}`;
}

function callersOf(program: Program, calls: CallExpression[], fn: Node): CallExpression[] {
  const declaration = 'name' in fn && fn.name ? fn : fn.parent;
  const name = nameOf(fn);
  if (!name) return [];
  return calls.filter((call) => {
    const callee = isPropertyAccessExpression(call.expression) ? call.expression.name : call.expression;
    return callee.getText() === name && program.declarationOf(callee) === declaration;
  });
}
