/**
 * The condition keys of a request: names in lower case, as case does not matter in them. A text is the value of a
 * single-valued key, a list that of a multivalued one (`aws:TagKeys`); a key without values is as good as absent. A `Map`
 * is one; a server that has values that are dear to find can bring its own.
 */
export interface ConditionContext {
  get(lowerCaseKey: string): string | readonly string[] | undefined;
}
