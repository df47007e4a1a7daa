"""What is no name of a net is refused, with the names near it."""

import pytest

from gradwright import zoo
from gradwright.errors import SpecError


@pytest.mark.parametrize("name", ["", "nope", None, 3, [], {}])
def test_what_is_no_name_is_refused(name: str) -> None:
    with pytest.raises(SpecError, match="expected a name that `gradwright nets` or"):
        zoo.get(name)
