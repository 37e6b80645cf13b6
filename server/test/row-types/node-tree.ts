// PostgreSQL's own reading of a statement, as it keeps it for functions: nodes with fields, in a notation of its own.

export type Tree = TreeNode | Tree[] | string | null;
export type TreeNode = { is: string; [field: string]: Tree };

const token = /\s*(\{[A-Z_0-9]+|[{}()]|"(?:[^"\\]|\\.)*"|:[a-zA-Z_]+(?:\.[a-z]+)?|(?:\\.|[^\s(){}])+)/y;

export function parseTree(text: string): Tree {
  token.lastIndex = 0;
  const next = (): string | undefined => token.exec(text)?.[1];
  const tree = (read: string | undefined): Tree => {
    if (read === undefined || read === '<>') return null;
    if (read === '(') return list();
    if (read.startsWith('{')) return node(read.slice(1));
    return read.replaceAll(/\\(.)/g, '$1');
  };
  const list = (): Tree[] => {
    const found: Tree[] = [];
    for (let read = next(); read !== undefined && read !== ')'; read = next()) found.push(tree(read));
    return found;
  };
  const node = (is: string): TreeNode => {
    const found: TreeNode = { is };
    let field = '';
    for (let read = next(); read !== undefined && read !== '}'; read = next()) {
      if (read.startsWith(':')) field = read.slice(1);
      // The bytes of a constant follow its length, and say nothing here.
      else if (!(field in found)) found[field] = tree(read);
    }
    return found;
  };
  return tree(next());
}

export const isNode = (tree: Tree | undefined): tree is TreeNode =>
  typeof tree === 'object' && tree !== null && !Array.isArray(tree);
export const nodes = (tree: Tree | undefined): TreeNode[] => (Array.isArray(tree) ? tree.filter(isNode) : []);
