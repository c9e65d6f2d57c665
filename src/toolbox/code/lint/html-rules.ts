import type { RuleEntry } from './lint-finding.ts';
import { lookupTable } from '../../../kernel/index.ts';

/** An html-validate rule with how it is presented. */
export interface HtmlRule extends RuleEntry {
  readonly optIn?: true;
  readonly options?: Readonly<Record<string, unknown>>;
}

const bug = { severity: 'major', area: 'correctness' } as const;
const likelyBug = { severity: 'minor', area: 'correctness' } as const;
const access = { severity: 'minor', area: 'standards' } as const;
const style = { severity: 'info', area: 'style' } as const;

/** Rules that search the whole document for each element: quadratic, so only for files of usual size. */
export const searchingHtmlRules: ReadonlySet<string> = new Set([
  'no-missing-references',
  'unique-landmark',
  'aria-label-misuse',
  'hidden-focusable',
  'no-dup-id',
  'valid-autocomplete',
  'multiple-labeled-controls',
  'input-missing-label',
  'valid-for',
]);

/** The html-validate rules a review runs. */
export const htmlRules: Readonly<Record<string, HtmlRule>> = lookupTable({
  'close-attr': bug,
  'close-order': bug,
  'no-dup-id': bug,
  'no-dup-attr': bug,
  'no-dup-class': likelyBug,
  'no-implicit-close': likelyBug,
  'no-implicit-input-type': style,
  'no-missing-references': likelyBug,
  'no-multiple-main': likelyBug,
  'no-raw-characters': { ...likelyBug, options: { relaxed: true } },
  'no-self-closing': style,
  'no-unknown-elements': likelyBug,
  'no-utf8-bom': style,
  'no-conditional-comment': style,
  'no-deprecated-attr': { severity: 'minor', area: 'maintainability' },
  'no-redundant-for': style,
  'no-redundant-role': style,
  'no-redundant-aria-label': style,
  'no-abstract-role': access,
  'no-autoplay': access,
  'no-implicit-button-type': likelyBug,
  'no-inline-style': { severity: 'info', area: 'maintainability', optIn: true },
  'attr-case': style,
  'attr-quotes': { ...style, options: { style: 'any', unquoted: false } },
  'attr-spacing': likelyBug,
  'attribute-allowed-values': likelyBug,
  'attribute-boolean-style': style,
  'attribute-misuse': likelyBug,
  'area-alt': access,
  'aria-hidden-body': access,
  'aria-label-misuse': access,
  deprecated: { severity: 'minor', area: 'maintainability' },
  'deprecated-rule': style,
  'doctype-html': likelyBug,
  'element-case': style,
  'element-name': likelyBug,
  'element-permitted-content': bug,
  'element-permitted-occurrences': likelyBug,
  'element-permitted-order': likelyBug,
  'element-permitted-parent': likelyBug,
  'element-required-ancestor': likelyBug,
  'element-required-attributes': likelyBug,
  'element-required-content': likelyBug,
  'empty-heading': access,
  'empty-title': access,
  'form-dup-name': likelyBug,
  'heading-level': access,
  'hidden-focusable': access,
  'input-attributes': likelyBug,
  'input-missing-label': access,
  'long-title': style,
  'map-dup-name': likelyBug,
  'map-id-name': likelyBug,
  'meta-refresh': access,
  'missing-doctype': { severity: 'minor', area: 'standards' },
  'multiple-labeled-controls': access,
  'prefer-native-element': { ...access, optIn: true },
  'prefer-tbody': { ...style, optIn: true },
  'script-element': bug,
  'script-type': style,
  'svg-focusable': style,
  'tel-non-breaking': { ...style, optIn: true },
  'text-content': access,
  'unique-landmark': access,
  'unrecognized-char-ref': likelyBug,
  'valid-autocomplete': access,
  'valid-for': access,
  'valid-id': { ...likelyBug, options: { relaxed: true } },
  'void-content': bug,
  'void-style': style,
  'wcag/h30': access,
  'wcag/h32': access,
  'wcag/h36': access,
  'wcag/h37': access,
  'wcag/h63': access,
  'wcag/h67': access,
  'wcag/h71': access,
});
