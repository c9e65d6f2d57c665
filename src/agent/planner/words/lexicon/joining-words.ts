/** Words between the parts of a sentence that the planner splits by, in lower case and without accents. */
export const joiningWords = {
  conjunctions: `and, &, und, et, y, e, ed, en, n, or, oder, ou, o`,
  nextWords: `then, afterwards, after that, next, finally, but, danach, dann, anschliessend, puis, ensuite, luego,
  despues, depois, poi, dann noch, and then, lastly, followed, subsequently, thereafter, daarna, dan,
  infine, enfin, finalmente, before, bevor, after, sondern, aber, mais, pero, ma, maar, mas`,
  withWords: `with, including, along, together, as, mit, avec, con, com, met, w, w/, inklusive, incl, alongside,
  featuring, y compris, incluyendo, incluindo, having, includes, include, samt, accompanied`,
  conditions: `if, when, in case, otherwise, falls, wenn, si, se, should`,
  topicWords: `to, for, fur, pour, para, per, um, voor`,
  indefinite: `a, an, one, ein, eine, einen, un, une, una, um, uma, een, another`,
  strongVerbs: `review, audit, test, proofread, summarize, summarise, email, formalize, formalise, specify, critique,
  teste, prufe, uberprufe, revisa, implement, reviewed, tested, rerun, run, inspect, unit test, cover it,
  code review, rivedi, controlla, revise, testa, prueba, tester, verifie, relis, testen, double check,
  double-check`,
} as const;
