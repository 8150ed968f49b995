// Beast's own code, compiled once for the whole program.
#include <boost/beast/src.hpp>
