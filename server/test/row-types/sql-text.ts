// The text of a statement as its code would write it: values become parameters, and parts of SQL are looked up where they
// are made, through names, functions and their arguments. Where the code decides, one way is taken, and the other the next
// time.
import type { BindingPattern, CallExpression, Node } from 'typescript/unstable/ast';
import {
  isArrayLiteralExpression,
  isArrowFunction,
  isBinaryExpression,
  isBindingElement,
  isBlock,
  isCallExpression,
  isConditionalExpression,
  isElementAccessExpression,
  isFunctionDeclaration,
  isFunctionExpression,
  isIdentifier,
  isMethodDeclaration,
  isNoSubstitutionTemplateLiteral,
  isObjectLiteralExpression,
  isParameterDeclaration,
  isPropertyAccessExpression,
  isPropertyAssignment,
  isReturnStatement,
  isShorthandPropertyAssignment,
  isSpreadAssignment,
  isSpreadElement,
  isStringLiteral,
  isTaggedTemplateExpression,
  isTemplateExpression,
  isVariableDeclaration,
} from 'typescript/unstable/ast/is';
import { bare, below, type Program } from './program.ts';

/** What stands for the parameters of the functions on the way here. */
export type Bindings = ReadonlyMap<Node, Found>;
type Found = { node: Node; bindings: Bindings };
type Fn = Node & { parameters: readonly Node[]; body?: Node };

export class Unresolved extends Error {
  /** The parameter nothing is known of, where that is the reason: its function's callers may tell. */
  readonly parameter: Node | undefined;
  constructor(what: string, parameter?: Node) {
    super(what);
    this.parameter = parameter;
  }
}

export type Way = 'first' | 'last';

export function sqlText(program: Program, query: Node, bindings: Bindings, way: Way): string {
  let parameters = 0;
  const unresolved = (node: Node, parameter?: Node) =>
    new Unresolved(`${program.placeOf(node)}: ${node.getText().slice(0, 80)}`, parameter);
  const choose = <T>(options: readonly T[]): T | undefined => (way === 'first' ? options[0] : options.at(-1));

  function piece(node: Node, bindings: Bindings): string {
    return program.isSql(node) || leadsToSql(node, bindings) ? part(node, bindings) : `$${++parameters}`;
  }

  // What is given to a parameter that takes anything may still be SQL.
  function leadsToSql(node: Node, bindings: Bindings): boolean {
    const inner = bare(node);
    if (!isIdentifier(inner)) return false;
    const declared = program.declarationOf(inner);
    const given = declared && bindings.get(declared);
    return Boolean(given && given.node !== node && program.isSql(given.node));
  }

  function part(node: Node, bindings: Bindings): string {
    const inner = bare(node);
    if (isTaggedTemplateExpression(inner)) return template(inner.template, bindings);
    if (isCallExpression(inner)) {
      const callee = inner.expression.getText();
      if (callee === 'sql.join') return join(inner, bindings);
      if (callee === 'sql.lit') return "'x'";
      if (callee === 'sql.id') return `"${string({ node: inner.arguments[0]!, bindings })}"`;
    }
    const next = follow({ node: inner, bindings });
    if (!next) throw unresolved(inner);
    return part(next.node, next.bindings);
  }

  function template(node: Node, bindings: Bindings): string {
    if (isNoSubstitutionTemplateLiteral(node)) return node.text;
    if (!isTemplateExpression(node)) throw unresolved(node);
    const rest = node.templateSpans.map((span) => piece(span.expression, bindings) + span.literal.text);
    return node.head.text + rest.join('');
  }

  function join(call: CallExpression, bindings: Bindings): string {
    const [list, separator] = call.arguments;
    const pieces = items({ node: list!, bindings }).map(({ node, bindings }) => piece(node, bindings));
    return pieces.join(separator ? part(separator, bindings) : ', ');
  }

  function string(of: Found): string {
    if (isStringLiteral(of.node)) return of.node.text;
    if (isNameOfProperty(of.node)) return of.node.getText();
    const next = follow(of);
    if (!next) throw unresolved(of.node);
    return string(next);
  }

  /** One step from an expression towards what makes its value. */
  function follow({ node, bindings }: Found): Found | undefined {
    const inner = bare(node);
    if (inner !== node) return { node: inner, bindings };
    if (isIdentifier(node)) return declared(node, bindings);
    if (isConditionalExpression(node)) {
      const options = [node.whenTrue, node.whenFalse].filter(
        (one) => !/^(null|undefined)$/.test(one.getText()),
      );
      return { node: choose(options)!, bindings };
    }
    if (isBinaryExpression(node)) {
      const isAnd = node.operatorToken.getText() === '&&';
      return { node: isAnd ? node.right : choose([node.left, node.right])!, bindings };
    }
    if (isPropertyAccessExpression(node)) return member({ node: node.expression, bindings }, node.name.text);
    if (isElementAccessExpression(node)) {
      const key = bare(node.argumentExpression);
      const name = isStringLiteral(key) ? key.text : undefined;
      return member({ node: node.expression, bindings }, name);
    }
    if (isCallExpression(node)) return called(node, bindings);
    return undefined;
  }

  function declared(name: Node, bindings: Bindings): Found | undefined {
    const declaration = program.declarationOf(name);
    if (!declaration) return undefined;
    return given(declaration, bindings, name);
  }

  function given(declaration: Node, bindings: Bindings, name: Node): Found | undefined {
    if (isParameterDeclaration(declaration)) {
      const found = bindings.get(declaration);
      if (found) return found;
      if (declaration.initializer) return { node: declaration.initializer, bindings };
      throw unresolved(name, declaration);
    }
    if (isVariableDeclaration(declaration))
      return declaration.initializer && { node: declaration.initializer, bindings };
    if (isBindingElement(declaration)) {
      const whole = given(declaration.parent.parent, bindings, name);
      if (declaration.dotDotDotToken) return whole;
      const { elements } = declaration.parent as BindingPattern;
      // Of the pairs that are taken apart by place, the first is the name and the second the value.
      if (whole && isPropertyAssignment(whole.node)) {
        const pair = [whole.node.name, whole.node.initializer];
        return { ...whole, node: pair[elements.indexOf(declaration)]! };
      }
      const found = whole && member(whole, (declaration.propertyName ?? declaration.name!).getText());
      return found ?? (declaration.initializer && { node: declaration.initializer, bindings });
    }
    if (isFunctionDeclaration(declaration)) return { node: declaration, bindings };
    return undefined;
  }

  /** A property of what makes an object; without a name, one of them. */
  function member(of: Found, name: string | undefined): Found | undefined {
    const { node, bindings } = of;
    if (!isObjectLiteralExpression(node)) {
      const next = follow(of);
      return next && member(next, name);
    }
    const values = [...node.properties].reverse().flatMap((property): Found[] => {
      if (isSpreadAssignment(property)) {
        const found = member({ node: property.expression, bindings }, name);
        return found ? [found] : [];
      }
      if (name !== undefined && property.name?.getText().replaceAll(/['"]/g, '') !== name) return [];
      if (isPropertyAssignment(property)) return [{ node: property.initializer, bindings }];
      if (isShorthandPropertyAssignment(property)) return [{ node: property.name, bindings }];
      return isMethodDeclaration(property) ? [{ node: property, bindings }] : [];
    });
    return choose(values);
  }

  function called(call: CallExpression, bindings: Bindings): Found | undefined {
    const fn = functionOf({ node: call.expression, bindings });
    if (!fn) return undefined;
    const inside = bind(fn.node as Fn, call.arguments, bindings, fn.bindings);
    return returned(fn.node as Fn, inside);
  }

  function functionOf(of: Found): Found | undefined {
    if (isFunction(of.node)) return of;
    const next = follow(of);
    return next && functionOf(next);
  }

  function returned(fn: Fn, bindings: Bindings): Found | undefined {
    if (!fn.body) return undefined;
    if (!isBlock(fn.body)) return { node: fn.body, bindings };
    const options = returns(fn.body).filter((one) => !/^(null|undefined)$/.test(one.getText()));
    const chosen = choose(options);
    return chosen && { node: chosen, bindings };
  }

  /** The elements of what makes an array. */
  function items(of: Found): Found[] {
    const { node, bindings } = of;
    if (isArrayLiteralExpression(node))
      return [
        ...node.elements.flatMap((element) =>
          isSpreadElement(element)
            ? items({ node: element.expression, bindings })
            : [{ node: element, bindings }],
        ),
        ...pushed(node, bindings),
      ];
    if (isObjectLiteralExpression(node))
      return node.properties.flatMap((property) =>
        isPropertyAssignment(property) ? [{ node: property, bindings }] : [],
      );
    if (isCallExpression(node) && isPropertyAccessExpression(node.expression)) {
      const { expression: receiver, name } = node.expression;
      if (['filter', 'slice', 'toSorted'].includes(name.text)) return items({ node: receiver, bindings });
      if (name.text === 'map' || name.text === 'flatMap') return mapped(node, receiver, bindings);
      if (receiver.getText() === 'Object') return items({ node: node.arguments[0]!, bindings });
    }
    const next = follow(of);
    if (!next) throw unresolved(node);
    return items(next);
  }

  // Of a list nobody knows, one element stands for all.
  function mapped(call: CallExpression, receiver: Node, bindings: Bindings): Found[] {
    const fn = functionOf({ node: call.arguments[0]!, bindings });
    if (!fn) throw unresolved(call);
    const result = returned(fn.node as Fn, new Map([...bindings, ...fn.bindings]));
    if (!result) throw unresolved(call);
    const first = (fn.node as Fn).parameters[0];
    const results = known({ node: receiver, bindings })?.map((item) => ({
      node: result.node,
      bindings: first ? new Map([...result.bindings, [first, item]]) : result.bindings,
    })) ?? [result];
    return call.expression.getText().endsWith('flatMap') ? results.flatMap(items) : results;
  }

  function known(list: Found): Found[] | null {
    try {
      return items(list);
    } catch (error) {
      if (error instanceof Unresolved) return null;
      throw error;
    }
  }

  /** What is pushed later onto an array that is declared with this literal. */
  function pushed(literal: Node, bindings: Bindings): Found[] {
    const variable = literal.parent;
    if (!variable || !isVariableDeclaration(variable)) return [];
    const name = variable.name.getText();
    return [...below(variable.parent.parent.parent)].flatMap((node) =>
      isCallExpression(node) && node.expression.getText() === `${name}.push`
        ? [...node.arguments].flatMap((argument) =>
            isSpreadElement(argument)
              ? items({ node: argument.expression, bindings })
              : [{ node: argument, bindings }],
          )
        : [],
    );
  }

  return part(query, bindings);
}

export const isFunction = (node: Node): node is Fn =>
  isArrowFunction(node) ||
  isFunctionDeclaration(node) ||
  isFunctionExpression(node) ||
  isMethodDeclaration(node);

/** What the parameters of a function stand for in one call of it. */
export function bind(fn: Fn, given: readonly Node[], outside: Bindings, known: Bindings = outside): Bindings {
  const bound = fn.parameters.flatMap((parameter, index): [Node, Found][] =>
    given[index] ? [[parameter, { node: given[index], bindings: outside }]] : [],
  );
  return new Map([...known, ...outside, ...bound]);
}

const isNameOfProperty = (node: Node): boolean =>
  isIdentifier(node) && isPropertyAssignment(node.parent) && node.parent.name === node;

function returns(body: Node): Node[] {
  const found: Node[] = [];
  const look = (node: Node) => {
    if (isReturnStatement(node) && node.expression) found.push(node.expression);
    if (!isFunction(node)) node.forEachChild(look);
  };
  body.forEachChild(look);
  return found;
}
