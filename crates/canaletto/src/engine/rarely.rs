/// Marks a condition that seldom holds, such as a feature that most drives lack. The compiler then keeps values in
/// registers on the other way, and calls nothing in line on this one.
#[inline(always)]
pub fn rarely(is: bool) -> bool {
    if is {
        cold();
        true
    } else {
        false
    }
}

#[cold]
#[inline(always)]
pub fn cold() {}
