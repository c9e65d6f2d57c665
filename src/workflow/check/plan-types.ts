import type { Json } from '../../contract/plan/index.ts';
import type { Tool } from '../../contract/tool/index.ts';
import {
  formatReference,
  type CompiledPlan,
  type CompiledStep,
  type Reference,
} from '../plan/index.ts';
import type { TemplateNode } from '../plan/template.ts';
import { Given } from './schema/fit-value.ts';
import { elementOf, followType, type Followed } from './schema/follow-type.ts';
import {
  kindOfValue,
  namesOfKinds,
  anything,
  closedObject,
  Effort,
  listOf,
  nodeOf,
  oneOfNodes,
  type SchemaNode,
} from './schema/schema-node.ts';

/** What the names mean that are no steps, at one place of a plan. */
export interface Locals {
  readonly item?: SchemaNode;
  readonly result?: SchemaNode;
}

/** The types of everything a plan can refer to. */
export interface PlanTypes {
  /** Of all that is declared under `input`; values that are bound must fit it. */
  readonly input: SchemaNode;
  readonly output: () => SchemaNode;
  follow(reference: Reference, locals: Locals): Followed;
  typeOf(reference: Reference, locals: Locals): SchemaNode;
  /** The value of a template with what references give in their places. */
  fill(node: TemplateNode, locals: Locals): unknown;
  itemOf(step: CompiledStep): SchemaNode;
  /** The plan within a step. */
  within(step: CompiledStep & { readonly kind: 'plan' }): PlanTypes;
}

const text: SchemaNode = { schema: { type: 'string' }, root: true };
const nothing: SchemaNode = { schema: { type: 'null' }, root: true };
const wholeNumber: SchemaNode = { schema: { type: 'integer', minimum: 0 }, root: true };

/** What a gate gives: who approved, and why where they said it. */
const verdict: SchemaNode = {
  schema: {
    type: 'object',
    properties: {
      verdict: { const: 'approved' },
      by: { type: 'string' },
      reason: { type: 'string' },
    },
    required: ['verdict', 'by'],
    additionalProperties: false,
  },
  root: true,
};

/** What a call gives when the tool has no output schema; it may give structured content all the same. */
const unstructured: SchemaNode = {
  schema: {
    type: 'object',
    properties: {
      content: { type: 'array', items: { type: 'object' } },
      text: { type: 'string' },
      json: true,
    },
  },
  root: true,
};

export function createPlanTypes(plan: CompiledPlan, tools: ToolLookup): PlanTypes {
  const steps = new Map(plan.steps.map((step) => [step.id, step]));
  const inputs = new Set(Object.keys(plan.plan.input ?? {}));
  const outputs = new Map<string, SchemaNode>();
  const inner = new Map<CompiledStep, PlanTypes>();
  let output: SchemaNode | undefined;

  const types: PlanTypes = {
    input: inputType(plan),
    output: () => (output ??= outputOfPlan(plan, types, outputOf)),
    follow: (reference, locals) => {
      const [first] = reference.path;
      // Undeclared inputs were found when the references were read.
      const isUndeclared =
        reference.root === 'input' && first !== undefined && !inputs.has(String(first));
      if (isUndeclared) return { is: 'found', node: anything };
      return followType(rootType(reference.root, locals), reference.path);
    },
    typeOf: (reference, locals) => {
      const followed = types.follow(reference, locals);
      return followed.is === 'found' ? followed.node : anything;
    },
    fill: (node, locals) => fillTemplate(node, (reference) => types.typeOf(reference, locals)),
    itemOf: (step) =>
      step.forEach
        ? elementOf(
            templateType(step.forEach.node, (reference) => types.typeOf(reference, {})),
            new Effort(),
          )
        : anything,
    within: (step) => {
      const known = inner.get(step) ?? createPlanTypes(step.plan, tools);
      inner.set(step, known);
      return known;
    },
  };

  function rootType(root: string, locals: Locals): SchemaNode {
    const step = steps.get(root);
    if (step) return outputOf(step);
    if (root === 'input') return types.input;
    if (root === 'item') return locals.item ?? anything;
    if (root === 'index') return wholeNumber;
    if (root === 'run') return closedObject({ id: text });
    return root === 'result' ? (locals.result ?? anything) : anything;
  }

  function outputOf(step: CompiledStep): SchemaNode {
    const known = outputs.get(step.id) ?? stepOutput(step, types, tools);
    outputs.set(step.id, known);
    return known;
  }

  return types;
}

/** What a call of the tool gives; anything for an unknown tool. */
export function outputOfTool(name: string, tools: ToolLookup): SchemaNode {
  const tool = tools.find(name);
  if (!tool) return anything;
  return tool.outputSchema ? nodeOf(tool.outputSchema, tool.outputSchema) : unstructured;
}

function stepOutput(step: CompiledStep, types: PlanTypes, tools: ToolLookup): SchemaNode {
  const one = outputOfOne(step, types, tools);
  if (!step.forEach) return one;
  // With `onFailure: skip` an element that failed is null.
  const list = listOf(step.step.onFailure === 'skip' ? oneOfNodes([one, nothing]) : one);
  const { source } = step.forEach;
  if (!Array.isArray(source)) return list;
  const size = { minItems: source.length, maxItems: source.length };
  return { schema: { ...Object(list.schema), ...size }, root: list.root };
}

function outputOfOne(step: CompiledStep, types: PlanTypes, tools: ToolLookup): SchemaNode {
  switch (step.kind) {
    case 'call':
      // After a lost call was looked up, the output may be what `reconcile` says it is.
      return step.step.reconcile ? anything : outputOfTool(step.tool, tools);
    case 'plan':
      return types.within(step).output();
    case 'sleep':
      return nothing;
    case 'gate':
      return verdict;
    case 'wait':
      return anything;
  }
}

function outputOfPlan(
  plan: CompiledPlan,
  types: PlanTypes,
  outputOf: (step: CompiledStep) => SchemaNode,
): SchemaNode {
  // In an output a step that was skipped gives null.
  const typeOf = (reference: Reference): SchemaNode =>
    oneOfNodes([types.typeOf(reference, {}), nothing]);
  if (plan.output) return templateType(plan.output.node, typeOf);
  // A step that was skipped leaves no output, so none of them is sure to be there.
  const ends = plan.ends.flatMap((index) => plan.steps[index] ?? []);
  const closed = closedObject(Object.fromEntries(ends.map((step) => [step.id, outputOf(step)])));
  return { schema: { ...Object(closed.schema), required: [] }, root: closed.root };
}

/** Inputs without a default are required, and there are no others. */
export function inputType({ plan }: CompiledPlan): SchemaNode {
  const declared = Object.entries(plan.input ?? {});
  const closed = closedObject(
    Object.fromEntries(declared.map(([name, schema]) => [name, nodeOf(schema, schema)])),
  );
  const required = declared
    .filter(([, schema]) => schema['default'] === undefined)
    .map(([name]) => name);
  return { schema: { ...Object(closed.schema), required }, root: closed.root };
}

/** Longer lists are described by the kinds of their elements. */
const maxDescribed = 100;

function templateType(
  node: TemplateNode,
  typeOf: (reference: Reference) => SchemaNode,
): SchemaNode {
  switch (node.kind) {
    case 'constant':
      return constantType(node.value);
    case 'whole':
      return typeOf(node.reference);
    case 'text':
      return text;
    case 'list':
      return listType(node.items.map((item) => templateType(item, typeOf)));
    case 'object':
      return closedObject(
        Object.fromEntries(
          node.entries.map(([name, inner]) => [name, templateType(inner, typeOf)]),
        ),
      );
  }
}

/** Templates are nested to a limited depth, which limits the recursion. */
function constantType(value: Json): SchemaNode {
  if (typeof value !== 'object' || value === null) return { schema: { const: value }, root: true };
  if (!Array.isArray(value)) {
    return closedObject(
      Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, constantType(inner)])),
    );
  }
  if (value.length <= maxDescribed) return listType(value.map(constantType));
  const kinds = value.reduce<number>((union, element) => union | kindOfValue(element), 0);
  return {
    schema: { type: 'array', minItems: 1, items: { type: namesOfKinds(kinds) } },
    root: true,
  };
}

function listType(elements: readonly SchemaNode[]): SchemaNode {
  if (elements.length === 0) return { schema: { type: 'array', maxItems: 0 }, root: true };
  const list = listOf(oneOfNodes(elements));
  return { schema: { ...Object(list.schema), minItems: elements.length }, root: list.root };
}

function fillTemplate(node: TemplateNode, typeOf: (reference: Reference) => SchemaNode): unknown {
  switch (node.kind) {
    case 'constant':
      return node.value;
    case 'whole':
      return new Given(typeOf(node.reference), formatReference(node.reference));
    case 'text': {
      // Without a reference it is a text in which `$${` was written.
      const literal = node.parts.filter((part) => typeof part === 'string');
      return literal.length === node.parts.length
        ? literal.join('')
        : new Given(text, 'a text with references in it');
    }
    case 'list':
      return node.items.map((item) => fillTemplate(item, typeOf));
    case 'object':
      return Object.fromEntries(
        node.entries.map(([name, inner]) => [name, fillTemplate(inner, typeOf)]),
      );
  }
}

/** The live catalogue as a plan sees it: tools by their dotted names (`server.tool`). */
export interface ToolLookup {
  find(name: string): Tool | undefined;
  names(): readonly string[];
  /** As long as this is the same object, so is all that is found: what was checked with it need not be again. */
  readonly state?: object;
  /** Why a server's tools are not among the names, where they could not be listed. */
  failureOf?(server: string): string | undefined;
}
