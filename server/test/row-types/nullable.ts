// Whether a column of a statement's result can be null, by PostgreSQL's own reading of the statement: `true` where the
// schema and the statement let it, `false` where they do not, null where they do not say.
import { isNode, nodes, type Tree, type TreeNode } from './node-tree.ts';

export type Catalogue = {
  /** By table and number of the column. */
  isNotNull(table: string, column: string): boolean;
  /** A function that answers null only when it is given null. */
  isTotal(fn: string): boolean;
  isCount(aggregate: string): boolean;
};

type Nullable = boolean | null;
/** A query and those around it, the nearest first; and the columns that are known to be there at this place of it. */
type Scope = { query: TreeNode; outer: Scope | null; there: TreeNode[] };

export function nullableColumns(statement: TreeNode, catalogue: Catalogue): Map<string, Nullable> {
  const scope: Scope = { query: statement, outer: null, there: [] };
  return new Map(
    targets(statement).map((target) => [String(target.resname), ofTarget(target, scope, catalogue)]),
  );
}

function targets(query: TreeNode): TreeNode[] {
  const list = query.commandType === '1' ? query.targetList : query.returningList;
  return nodes(list).filter(({ resjunk }) => resjunk !== 'true');
}

function ofTarget(target: TreeNode, scope: Scope, catalogue: Catalogue): Nullable {
  const { query } = scope;
  if (!isNode(query.setOperations)) return ofExpression(target.expr!, scope, catalogue);
  // The branches of a union stand among the query's tables, and each may bring a null.
  const branches = nodes(query.rtable).flatMap(({ subquery }) => (isNode(subquery) ? [subquery] : []));
  return any(
    branches.map((branch) => {
      const same = targets(branch)[Number(target.resno) - 1];
      return same ? ofTarget(same, { query: branch, outer: scope.outer, there: [] }, catalogue) : null;
    }),
  );
}

/** Null if any is: what one of them lets, all let. */
const any = (all: Nullable[]): Nullable => (all.includes(true) ? true : all.includes(null) ? null : false);
/** Null if all are. */
const every = (all: Nullable[]): Nullable => (all.includes(false) ? false : all.includes(null) ? null : true);

const never = new Set([
  ...['NULLTEST', 'BOOLEANTEST', 'DISTINCTEXPR', 'ARRAYEXPR', 'ROWEXPR', 'SQLVALUEFUNCTION', 'GROUPINGFUNC'],
  ...['JSONCONSTRUCTOREXPR', 'JSONISPREDICATE'],
]);
const strict = new Set(['FUNCEXPR', 'OPEXPR', 'SCALARARRAYOPEXPR']);

function ofExpression(tree: Tree, scope: Scope, catalogue: Catalogue): Nullable {
  if (!isNode(tree)) return null;
  const of = (part: Tree | undefined) => ofExpression(part ?? null, scope, catalogue);
  const all = (list: Tree | undefined) => nodes(list).map(of);
  const { is } = tree;
  if (never.has(is)) return false;
  if (strict.has(is)) {
    const given = any(all(tree.args));
    const fn = String(is === 'FUNCEXPR' ? tree.funcid : tree.opfuncid);
    return given === false && !catalogue.isTotal(fn) ? null : given;
  }
  switch (is) {
    case 'VAR':
      return ofVariable(tree, scope, catalogue);
    case 'CONST':
      return tree.constisnull === 'true';
    case 'RELABELTYPE':
    case 'COERCEVIAIO':
    case 'COLLATEEXPR':
    case 'ARRAYCOERCEEXPR':
    case 'COERCETODOMAIN':
      return of(tree.arg);
    case 'COALESCE':
    case 'COALESCEEXPR':
    case 'MINMAX':
    case 'MINMAXEXPR':
      return every(all(tree.args));
    case 'CASE':
    case 'CASEEXPR':
      return any([...nodes(tree.args).map(({ result }) => of(result)), of(tree.defresult)]);
    case 'BOOLEXPR': {
      const there = [...scope.there, ...checkedFirst(tree)];
      return any(nodes(tree.args).map((part) => ofExpression(part, { ...scope, there }, catalogue)));
    }
    case 'NULLIFEXPR':
      return true;
    case 'AGGREF':
      return ofAggregate(tree, scope, catalogue);
    case 'SUBLINK':
      return ofSublink(tree, scope, catalogue);
    default:
      return null;
  }
}

/** In `a is null or a > 1` and in `a is not null and a > 1` the second part decides only where there is an `a`. */
function checkedFirst({ boolop, args }: TreeNode): TreeNode[] {
  const decided = boolop === 'or' ? '0' : '1';
  return nodes(args).flatMap(({ is, nulltesttype, arg }) =>
    is === 'NULLTEST' && nulltesttype === decided && isNode(arg) ? [arg] : [],
  );
}

function ofAggregate(tree: TreeNode, scope: Scope, catalogue: Catalogue): Nullable {
  if (catalogue.isCount(String(tree.aggfnoid))) return false;
  // Without groups there may be no row at all, and a filter may leave none.
  if (nodes(scope.query.groupClause).length === 0 || isNode(tree.aggfilter)) return true;
  const given = nodes(tree.args).map(({ expr }) => ofExpression(expr ?? null, scope, catalogue));
  return any(given) === false ? false : null;
}

const [existsSublink, expressionSublink, arraySublink] = ['0', '4', '6'];

function ofSublink({ subLinkType, subselect }: TreeNode, scope: Scope, catalogue: Catalogue): Nullable {
  if (subLinkType === existsSublink || subLinkType === arraySublink) return false;
  if (subLinkType !== expressionSublink || !isNode(subselect)) return null;
  const [target] = targets(subselect);
  const found = target ? ofTarget(target, { query: subselect, outer: scope, there: [] }, catalogue) : null;
  const alwaysOneRow = subselect.hasAggs === 'true' && nodes(subselect.groupClause).length === 0;
  // Whether there is a row, nobody can tell from here.
  return found === false && !alwaysOneRow ? null : found;
}

function ofVariable(tree: TreeNode, scope: Scope, catalogue: Catalogue): Nullable {
  let home: Scope | null = scope;
  for (let up = Number(tree.varlevelsup); up > 0; up -= 1) home = home?.outer ?? null;
  if (!home) return null;
  const isOuterJoined = Array.isArray(tree.varnullingrels) && tree.varnullingrels.length > 1;
  if (home.there.some((other) => isSame(tree, other))) return false;
  const table = nodes(home.query.rtable)[Number(tree.varno) - 1];
  const set = setTo(tree, home.query);
  if (set) {
    const before = { ...home, query: { ...home.query, commandType: 'before' } };
    return (
      !catalogue.isNotNull(String(table?.relid), String(tree.varattno)) &&
      ofExpression(set, before, catalogue)
    );
  }
  if (isDemanded(tree, home.query)) return false;
  if (isOuterJoined) return true;
  return table ? ofTable(table, tree, home, catalogue) : null;
}

/** What an update returns of a column is what it has set it to. */
function setTo({ varno, varattno }: TreeNode, query: TreeNode): Tree {
  if (query.commandType !== '2' || query.resultRelation !== varno) return null;
  return nodes(query.targetList).find(({ resno }) => resno === varattno)?.expr ?? null;
}

const isSame = (one: TreeNode, other: TreeNode): boolean =>
  other.is === 'VAR' &&
  other.varno === one.varno &&
  other.varattno === one.varattno &&
  other.varlevelsup === '0';

function ofTable(table: TreeNode, variable: TreeNode, home: Scope, catalogue: Catalogue): Nullable {
  const column = Number(variable.varattno);
  const ofQuery = (query: TreeNode, outer: Scope | null) => {
    const target = targets(query)[column - 1];
    return target ? ofTarget(target, { query, outer, there: [] }, catalogue) : null;
  };
  switch (table.rtekind) {
    case '0': // a table
      return column > 0 && !catalogue.isNotNull(String(table.relid), String(column));
    case '1': // a subquery
      return isNode(table.subquery) ? ofQuery(table.subquery, home) : null;
    case '2': // a join, which names the columns of its sides anew
      return ofJoined(nodes(table.joinaliasvars)[column - 1], home, catalogue);
    case '9': // the expressions a query is grouped by
      return ofExpression(nodes(table.groupexprs)[column - 1] ?? null, home, catalogue);
    case '5': // values
      return any(
        (Array.isArray(table.values_lists) ? table.values_lists : []).map((row) =>
          ofExpression(nodes(row)[column - 1] ?? null, home, catalogue),
        ),
      );
    case '6': {
      // a query of its own, by name
      let at: Scope | null = home;
      for (let up = Number(table.ctelevelsup); up > 0; up -= 1) at = at?.outer ?? null;
      const named = nodes(at?.query.cteList).find(({ ctename }) => ctename === table.ctename);
      // One that refers to itself would be asked forever.
      return named && table.self_reference !== 'true' && isNode(named.ctequery)
        ? ofQuery(named.ctequery, at)
        : null;
    }
    default:
      return null;
  }
}

/** The common column of a full join is there where either side is. */
function ofJoined(tree: TreeNode | undefined, home: Scope, catalogue: Catalogue): Nullable {
  if (tree?.is !== 'COALESCE' && tree?.is !== 'COALESCEEXPR')
    return ofExpression(tree ?? null, home, catalogue);
  const sides = nodes(tree.args).map((side) => ({ ...side, varnullingrels: null }));
  return any(sides.map((side) => ofExpression(side, home, catalogue)));
}

/** True when the query leaves no row in which this column is null: it is compared, or asked for. */
function isDemanded(variable: TreeNode, query: TreeNode): boolean {
  const tree = isNode(query.jointree) ? query.jointree : null;
  if (!tree) return false;
  const demands = [...conditions(tree.quals ?? null), ...nodes(tree.fromlist).flatMap(ofInnerJoins)];
  const is = (other: Tree | undefined): boolean => {
    if (!isNode(other)) return false;
    if (other.is === 'RELABELTYPE' || other.is === 'COERCEVIAIO') return is(other.arg);
    return isSame(variable, other);
  };
  return demands.some((demand) => {
    if (demand.is === 'NULLTEST') return demand.nulltesttype === '1' && is(demand.arg);
    if (demand.is === 'OPEXPR' || demand.is === 'SCALARARRAYOPEXPR') return nodes(demand.args).some(is);
    return false;
  });
}

function conditions(tree: Tree): TreeNode[] {
  if (!isNode(tree)) return [];
  return tree.is === 'BOOLEXPR' && tree.boolop === 'and' ? nodes(tree.args).flatMap(conditions) : [tree];
}

function ofInnerJoins(tree: TreeNode): TreeNode[] {
  if (tree.is !== 'JOINEXPR' || tree.jointype !== '0') return [];
  const sides = [tree.larg, tree.rarg].flatMap((side) => (isNode(side) ? ofInnerJoins(side) : []));
  return [...conditions(tree.quals ?? null), ...sides];
}
