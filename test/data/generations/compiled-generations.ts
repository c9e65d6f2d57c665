import type { Generated } from './problem.ts';

export interface CompiledGeneration extends Generated {
  readonly language: 'java' | 'rust';
  readonly kind: 'good' | 'weak';
}

const java = `import java.util.ArrayDeque;
import java.util.Deque;

public class Brackets {
  /** Whether every bracket is closed by its own kind, in order. */
  public static boolean isBalanced(String text) {
    Deque<Character> open = new ArrayDeque<>();
    for (char c : text.toCharArray()) {
      if (c == '(' || c == '[') {
        open.push(c);
      } else if (c == ')' || c == ']') {
        char wanted = c == ')' ? '(' : '[';
        if (open.isEmpty() || open.pop() != wanted) {
          return false;
        }
      }
    }
    return open.isEmpty();
  }

  public static int depth(String text) {
    int depth = 0;
    int deepest = 0;
    for (char c : text.toCharArray()) {
      if (c == '(') {
        depth += 1;
      } else if (c == ')') {
        depth -= 1;
      }
      if (depth > deepest) {
        deepest = depth;
      }
    }
    return deepest;
  }
}
`;

const javaTests = (tests: string): string => `import static org.junit.jupiter.api.Assertions.*;

import org.junit.jupiter.api.Test;

public class BracketsTest {
${tests}}
`;

const rust = `/// The largest number, and how often it occurs; None for no numbers.
pub fn largest(numbers: &[i64]) -> Option<(i64, usize)> {
    let mut found: Option<(i64, usize)> = None;
    for &number in numbers {
        found = match found {
            Some((best, count)) if number == best => Some((best, count + 1)),
            Some((best, count)) if number < best => Some((best, count)),
            _ => Some((number, 1)),
        };
    }
    found
}

pub fn clamp(value: i64, low: i64, high: i64) -> Result<i64, String> {
    if low > high {
        return Err(format!("{} is above {}", low, high));
    }
    if value < low {
        return Ok(low);
    }
    if value > high {
        return Ok(high);
    }
    Ok(value)
}
`;

const rustTests = (tests: string): string => `use solution::{clamp, largest};

${tests}`;

/** One small program in each language that is compiled for every mutant, with tests that show it, and tests that do not. */
export const compiledGenerations: readonly CompiledGeneration[] = [
  {
    language: 'java',
    kind: 'good',
    code: java,
    tests: javaTests(`  @Test
  void balanced() {
    assertTrue(Brackets.isBalanced(""));
    assertTrue(Brackets.isBalanced("a(b[c]d)[]"));
  }

  @Test
  void notBalanced() {
    assertFalse(Brackets.isBalanced("("));
    assertFalse(Brackets.isBalanced("["));
    assertFalse(Brackets.isBalanced(")"));
    assertFalse(Brackets.isBalanced("(]"));
    assertFalse(Brackets.isBalanced("[)"));
    assertFalse(Brackets.isBalanced("([)]"));
  }

  @Test
  void depth() {
    assertEquals(0, Brackets.depth("a"));
    assertEquals(1, Brackets.depth("()()()"));
    assertEquals(3, Brackets.depth("(()(()))"));
  }
`),
  },
  {
    language: 'java',
    kind: 'weak',
    code: java,
    tests: javaTests(`  @Test
  void doesNotThrow() {
    assertNotNull(Brackets.isBalanced("(a)"));
    assertTrue(Brackets.depth("()") >= 0);
  }
`),
  },
  {
    language: 'rust',
    kind: 'good',
    code: rust,
    tests: rustTests(`#[test]
fn finds_the_largest() {
    assert_eq!(largest(&[]), None);
    assert_eq!(largest(&[-4]), Some((-4, 1)));
    assert_eq!(largest(&[3, 9, 2, 9]), Some((9, 2)));
    assert_eq!(largest(&[5, 5, 5]), Some((5, 3)));
    assert_eq!(largest(&[7, 7, 8]), Some((8, 1)));
}

#[test]
fn clamps() {
    assert_eq!(clamp(5, 1, 9), Ok(5));
    assert_eq!(clamp(0, 1, 9), Ok(1));
    assert_eq!(clamp(10, 1, 9), Ok(9));
    assert_eq!(clamp(1, 1, 1), Ok(1));
}

#[test]
fn rejects_a_reversed_range() {
    assert_eq!(clamp(5, 9, 1), Err("9 is above 1".to_string()));
}
`),
  },
  {
    language: 'rust',
    kind: 'weak',
    code: rust,
    tests: rustTests(`#[test]
fn runs() {
    assert!(largest(&[1, 2]).is_some());
    assert!(clamp(5, 1, 9).is_ok());
}
`),
  },
];
