import type { RuleEntry } from './lint-finding.ts';
import { lookupTable } from '../../../kernel/index.ts';

/** A stylelint rule with its options and how it is presented. */
export interface CssRule extends RuleEntry {
  readonly setting?: unknown;
  readonly optIn?: true;
  /** Its fix gives the same rendering in every browser. */
  readonly safeFix?: true;
}

const bug = { severity: 'major', area: 'correctness' } as const;
const likelyBug = { severity: 'minor', area: 'correctness' } as const;
const upkeep = { severity: 'minor', area: 'maintainability' } as const;
const style = { severity: 'info', area: 'style' } as const;
const kebabCase = '^[a-z_][a-z0-9_]*(-+[a-z0-9_]+)*$';

/** Rules that compare selectors with each other: quadratic, so only for files of usual size. */
export const comparingCssRules: ReadonlySet<string> = new Set([
  'no-descending-specificity',
  'no-duplicate-selectors',
]);

/** The stylelint rules a review runs. */
export const cssRules: Readonly<Record<string, CssRule>> = lookupTable({
  'annotation-no-unknown': bug,
  'at-rule-no-unknown': likelyBug,
  'at-rule-no-deprecated': upkeep,
  'block-no-empty': upkeep,
  'color-no-invalid-hex': bug,
  'color-hex-length': { ...style, setting: 'short', safeFix: true },
  'comment-no-empty': style,
  'comment-whitespace-inside': { ...style, setting: 'always', safeFix: true },
  'custom-property-no-missing-var-function': bug,
  'declaration-block-no-duplicate-custom-properties': likelyBug,
  'declaration-block-no-duplicate-properties': {
    ...likelyBug,
    setting: [true, { ignore: ['consecutive-duplicates-with-different-values'] }],
  },
  'declaration-block-no-shorthand-property-overrides': bug,
  'declaration-block-no-redundant-longhand-properties': style,
  'declaration-property-value-keyword-no-deprecated': upkeep,
  'declaration-no-important': { ...upkeep, optIn: true },
  'font-family-no-duplicate-names': upkeep,
  'font-family-no-missing-generic-family-keyword': likelyBug,
  'function-calc-no-unspaced-operator': bug,
  'function-linear-gradient-no-nonstandard-direction': bug,
  'function-no-unknown': likelyBug,
  'function-url-quotes': { ...style, setting: 'always' },
  'keyframe-block-no-duplicate-selectors': bug,
  'keyframe-declaration-no-important': bug,
  'keyframe-selector-notation': {
    ...style,
    setting: 'percentage-unless-within-keyword-only-block',
  },
  'length-zero-no-unit': {
    ...style,
    setting: [true, { ignore: ['custom-properties'], ignoreFunctions: ['/^--/'] }],
    safeFix: true,
  },
  'max-nesting-depth': { severity: 'minor', area: 'complexity', setting: 3, optIn: true },
  'media-feature-name-no-unknown': likelyBug,
  'media-query-no-invalid': bug,
  'media-type-no-deprecated': upkeep,
  'named-grid-areas-no-invalid': bug,
  'no-descending-specificity': { ...upkeep, severity: 'info' },
  'no-duplicate-at-import-rules': upkeep,
  'no-duplicate-selectors': upkeep,
  'no-invalid-double-slash-comments': bug,
  'no-invalid-position-at-import-rule': bug,
  'no-invalid-position-declaration': bug,
  'no-irregular-whitespace': likelyBug,
  'number-max-precision': { ...style, setting: 4 },
  'property-no-deprecated': upkeep,
  'property-no-unknown': likelyBug,
  'property-no-vendor-prefix': style,
  'selector-anb-no-unmatchable': bug,
  'selector-attribute-quotes': { ...style, setting: 'always', safeFix: true },
  'selector-class-pattern': { severity: 'info', area: 'standards', setting: kebabCase },
  'selector-id-pattern': { severity: 'info', area: 'standards', setting: kebabCase },
  'selector-max-id': { ...upkeep, setting: 0, optIn: true },
  'selector-no-vendor-prefix': style,
  'selector-pseudo-class-no-unknown': likelyBug,
  'selector-pseudo-element-colon-notation': { ...style, setting: 'double', safeFix: true },
  'selector-pseudo-element-no-unknown': likelyBug,
  'selector-type-no-unknown': {
    ...likelyBug,
    setting: [true, { ignore: ['custom-elements'] }],
  },
  'shorthand-property-no-redundant-values': { ...style, safeFix: true },
  'string-no-newline': bug,
  'syntax-string-no-invalid': bug,
  'unit-no-unknown': bug,
  'value-no-vendor-prefix': style,
});
