// The project as the compiler sees it: files, names and types. The API is the installed compiler's own and not settled
// yet, so its version is pinned.
import { fileURLToPath } from 'node:url';
import type { Node, SourceFile } from 'typescript/unstable/ast';
import {
  isAsExpression,
  isAwaitExpression,
  isIdentifier,
  isNonNullExpression,
  isParenthesizedExpression,
  isSatisfiesExpression,
  isShorthandPropertyAssignment,
  isTaggedTemplateExpression,
  isTemplateExpression,
} from 'typescript/unstable/ast/is';
import { API, type Checker, type Symbol as Named, SymbolFlags, type Type } from 'typescript/unstable/sync';

export const root = fileURLToPath(new URL('../../../', import.meta.url));

export type Program = {
  checker: Checker;
  /** The service's own files, without tests. */
  files: SourceFile[];
  /** Where the name is declared, behind imports. */
  declarationOf(name: Node): Node | undefined;
  isSql(expression: Node): boolean;
  placeOf(node: Node): string;
  close(): void;
};

export function openProgram(): Program {
  const api = new API({ cwd: root });
  const project = api.updateSnapshot({ openProjects: [`${root}tsconfig.json`] }).getProjects()[0]!;
  const { checker, program } = project;
  const files = program
    .getSourceFileNames()
    .filter((name) => name.includes('/server/src/') && !/\.test(-data)?\.ts$|fixtures\.ts$/.test(name))
    .map((name) => program.getSourceFile(name)!);
  const declarations = new Map<Node, Node | undefined>();
  const find = (name: Node): Node | undefined => {
    const named = symbolAt(checker, name);
    const target = named && named.flags & SymbolFlags.Alias ? checker.getAliasedSymbol(named) : named;
    return (target?.valueDeclaration ?? target?.declarations[0])?.resolve(project);
  };
  const sqlTypes = new Map<number, boolean>();
  const isSqlType = (type: Type | undefined): boolean => {
    if (!type) return false;
    const known =
      sqlTypes.get(type.id) ??
      (type.isUnionType() ? type.getTypes().some(isSqlType) : type.getSymbol()?.name === 'Sql');
    sqlTypes.set(type.id, known);
    return known;
  };
  // Asked for all at once: each question travels to the compiler's process.
  const filled = files.flatMap((file) => [...below(file)].flatMap(filledIn));
  const sqlness = new Map(
    checker
      .getTypeAtLocation(filled)
      .map((type, index): [Node, boolean] => [filled[index]!, isSqlType(type)]),
  );
  return {
    checker,
    files,
    declarationOf(name) {
      if (!declarations.has(name)) declarations.set(name, find(name));
      return declarations.get(name);
    },
    isSql(expression) {
      const known = sqlness.get(expression) ?? isSqlType(checker.getTypeAtLocation(expression));
      sqlness.set(expression, known);
      return known;
    },
    placeOf(node) {
      const file = node.getSourceFile();
      const line = file.text.slice(0, node.getStart()).split('\n').length;
      return `${file.fileName.slice(file.fileName.indexOf('server/src/'))}:${line}`;
    },
    close: () => api.close(),
  };
}

function symbolAt(checker: Checker, name: Node): Named | undefined {
  const { parent } = name;
  if (isIdentifier(name) && parent && isShorthandPropertyAssignment(parent))
    return checker.getShorthandAssignmentValueSymbol(parent);
  return checker.getSymbolAtLocation(name);
}

/** What is filled into SQL. */
function filledIn(node: Node): Node[] {
  if (!isTaggedTemplateExpression(node) || !isTemplateExpression(node.template)) return [];
  return node.template.templateSpans.map(({ expression }) => expression);
}

/** The expression itself, without what only the compiler reads. */
export function bare(node: Node): Node {
  const wraps =
    isParenthesizedExpression(node) ||
    isAsExpression(node) ||
    isNonNullExpression(node) ||
    isSatisfiesExpression(node) ||
    isAwaitExpression(node);
  return wraps ? bare(node.expression) : node;
}

/** Every node below, in order. */
export function* below(node: Node): Generator<Node> {
  const children: Node[] = [];
  node.forEachChild((child) => {
    children.push(child);
  });
  for (const child of children) {
    yield child;
    yield* below(child);
  }
}
